#include "table_reporter.hpp"

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <hashmill/commit.hpp>
#include <hashmill/version.hpp>
#include <ostream>

#include "run/compare_runner.hpp"
#include "run/median.hpp"

namespace hashmill::perf {
namespace {

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

/// What `cell` makes of the times in memory of a kind, where there are any.
template <class Cell>
std::string cell_of(const RunTimes& times, const Cell& cell) {
  return times ? cell() : "-";
}
std::string milliseconds(const RunTimes& times) {
  return cell_of(times, [&] { return short_decimal(times.median_seconds * 1e3, 3); });
}
std::string rate(const CompareResult& result, const RunTimes& times, const Workload& workload) {
  return cell_of(times, [&] {
    return short_decimal(result.giga_items / times.median_seconds * workload.rate_factor,
                         workload.rate_decimals);
  });
}

/// The larger of the spreads in new and in kept memory.
std::string spread_cell(const CompareResult& result) {
  const unsigned fewest = std::max(result.fresh.num_repetitions, result.kept.num_repetitions);
  return fewest == 1
             ? "one run"
             : formatted("%.0f %%", std::max(result.fresh.spread, result.kept.spread) * 100);
}

/// A column of figures; its cells read the workload, whose units they have.
struct FigureColumn {
  std::string (*heading)(const Workload&);
  std::size_t width;
  std::string (*cell)(const CompareResult&, const Workload&);
  bool is_of_kept = false;  ///< left out where no memory is kept
};

constexpr FigureColumn figure_columns[] = {
    {[](const Workload&) { return std::string("new (ms)"); }, 10,
     [](const CompareResult& r, const Workload&) { return milliseconds(r.fresh); }},
    {[](const Workload&) { return std::string("kept (ms)"); }, 11,
     [](const CompareResult& r, const Workload&) { return milliseconds(r.kept); }, true},
    {[](const Workload&) { return std::string("spread"); }, 8,
     [](const CompareResult& r, const Workload&) { return spread_cell(r); }},
    {[](const Workload& w) { return w.rate_heading + " new"; }, 15,
     [](const CompareResult& r, const Workload& w) { return rate(r, r.fresh, w); }},
    {[](const Workload&) { return std::string("kept"); }, 9,
     [](const CompareResult& r, const Workload& w) { return rate(r, r.kept, w); }, true},
    {[](const Workload& w) { return std::string(w.shows_output ? "out GB/s" : "GB/s"); }, 10,
     [](const CompareResult& r, const Workload& w) {
       const double gigabytes = w.shows_output ? r.output_gigabytes : r.gigabytes;
       return formatted("%.2f", gigabytes / r.times(RunMemory::kept).median_seconds);
     },
     true},
    {[](const Workload&) { return std::string("of copy"); }, 9,
     [](const CompareResult& r, const Workload&) {
       return formatted("%.1f %%", r.copy_seconds / r.times(RunMemory::kept).median_seconds * 100);
     },
     true},
};

/// The headings of a workload's figures, or the cells of a result.
std::string figures_of(const Workload& workload, const CompareResult* result) {
  std::string line;
  for (const FigureColumn& column : figure_columns) {
    if (column.is_of_kept && !workload.keeps_memory) continue;
    line += padded(result == nullptr ? column.heading(workload) : column.cell(*result, workload),
                   column.width, true);
  }
  for (const FigureHeading& figure : workload.figures) {
    std::string text = figure.heading;
    if (result != nullptr) {
      const auto found = result->figures.find(figure.counter);
      text = found == result->figures.end() ? "-" : figure.text(found->second);
    }
    line += padded(text, std::max<std::size_t>(10, figure.heading.size() + 2), true);
  }
  return line;
}

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

/// Whether rows of one operation come in groups, as with peers, so that a line between operations
/// helps.
bool has_groups(const std::vector<CompareCase>& plan) {
  std::size_t num_changes = 1;
  for (std::size_t i = 1; i < plan.size(); ++i) {
    const bool same_data = plan[i].data == plan[i - 1].data;
    num_changes += same_data && plan[i].algorithm->kind == plan[i - 1].algorithm->kind ? 0 : 1;
  }
  return 2 * plan.size() >= 3 * num_changes;
}

/// A line about other processes if they take a good part of the machine: they make threads wait for
/// each other, and the figures worthless.
std::string load_note() {
  double load = 0;
  if (::getloadavg(&load, 1) != 1 || load < 0.5) return {};
  return "other processes are at work here: load average " + formatted("%.1f", load) + "\n";
}

/// The counter of a run; 0 where it has none.
double counter(const benchmark::BenchmarkReporter::Run& run, const std::string& name) {
  const auto found = run.counters.find(name);
  return found == run.counters.end() ? 0 : found->second.value;
}

/// Collects the repetitions of one row.
CompareResult summarise(const CompareCase& row, const Workload& workload,
                        const std::vector<benchmark::BenchmarkReporter::Run>& runs) {
  CompareResult result;
  result.row = &row;
  std::vector<double> seconds;
  std::map<std::string, std::vector<double>> figures;
  bool is_kept = true;
  for (const auto& run : runs) {
    if (run.error_occurred) {
      if (run.error_message != CompareRunner::budget_message) result.error = run.error_message;
      continue;
    }
    const double time = run.real_accumulated_time / static_cast<double>(run.iterations);
    seconds.push_back(time);
    for (const FigureHeading& figure : workload.figures) {
      const auto found = run.counters.find(figure.counter);
      if (found != run.counters.end()) figures[figure.counter].push_back(found->second.value);
    }
    is_kept = counter(run, "kept_memory") != 0;
    result.giga_items = counter(run, workload.rate_counter) * time;
    result.gigabytes = counter(run, "GB_per_second") * time;
    result.output_gigabytes = counter(run, "output_GB_per_second") * time;
    result.copy_seconds = counter(run, "share_of_copy") * time;
    result.fresh = {static_cast<unsigned>(counter(run, "new_memory_repetitions")),
                    counter(run, "new_memory_seconds"), counter(run, "new_memory_spread")};
  }
  (is_kept ? result.kept : result.fresh) = times_of(std::move(seconds));
  for (auto& [counter, values] : figures) result.figures[counter] = median(std::move(values));
  return result;
}

}  // namespace

TableReporter::TableReporter(const Workload& workload, const Plan& plan,
                             const std::vector<BackendInfo>& backends, ProgressBar& progress)
    : workload_(workload),
      plan_(plan.cases),
      backends_(backends),
      notes_(plan.notes),
      progress_(progress),
      axes_(describe_axes(plan_, backends)),
      has_groups_(has_groups(plan_)),
      is_terminal_(isatty(STDOUT_FILENO) != 0) {
  for (std::size_t i = 0; i < plan_.size(); ++i) index_of_name_[benchmark_name(plan_[i])] = i;
}

bool TableReporter::ReportContext(const Context&) {
  auto& out = GetOutputStream();
  out << "hashmill " << HASHMILL_VERSION_STRING << " (" << HASHMILL_GIT_HASH << ") · Kokkos "
      << kokkos_version() << '\n';
  std::size_t name_width = 0;
  std::size_t device_width = 0;
  for (const BackendInfo& backend : backends_) {
    name_width = std::max(name_width, backend.name.size());
    device_width = std::max(device_width, backend.device.size());
  }
  for (const BackendInfo& backend : backends_) {
    out << padded(backend.name, name_width, false) << "  "
        << padded(backend.device, device_width, false) << "  copies "
        << formatted("%.1f GB/s", backend.copy_bytes_per_second * 1e-9) << ", random reads "
        << formatted("%.3g M/s", backend.random_reads_per_second * 1e-6) << '\n';
  }
  if (plan_.front().data.file)
    out << "keys from " << plan_.front().data.file->description() << '\n';
  out << axes_.constant_line << '\n';
  for (const std::string& note : notes_) out << note << '\n';
  out << load_note() << workload_.legend << '\n';
  print_heading();
  return true;
}

void TableReporter::print_heading() {
  auto& out = GetOutputStream();
  std::string line;
  for (const TableColumn& column : axes_.columns) {
    line += padded(column.heading, column.width(), column.is_numeric) + "  ";
  }
  line += figures_of(workload_, nullptr);
  out << line << '\n' << std::string(display_width(line), '-') << std::endl;
}

void TableReporter::ReportRuns(const std::vector<Run>& runs) {
  if (runs.empty() || runs.front().run_type == Run::RT_Aggregate) return;
  const auto found = index_of_name_.find(runs.front().run_name.function_name);
  if (found == index_of_name_.end()) return;
  results_.push_back(summarise(plan_[found->second], workload_, runs));
  progress_.hide();
  print_row(found->second, results_.back());
}

bool TableReporter::starts_group(const CompareCase& before, const CompareCase& row) const {
  if (before.data != row.data && (before.algorithm->axes.queries || !row.algorithm->axes.queries)) {
    return true;
  }
  return has_groups_ && before.algorithm->kind != row.algorithm->kind;
}

void TableReporter::print_row(std::size_t index, const CompareResult& result) {
  auto& out = GetOutputStream();
  if (results_.size() > 1 && starts_group(*results_[results_.size() - 2].row, *result.row)) {
    out << '\n';
  }
  const bool is_bold = is_terminal_ && !result.row->algorithm->is_peer;
  if (is_bold) out << "\033[1m";
  for (const TableColumn& column : axes_.columns) {
    out << padded(column.cells[index], column.width(), column.is_numeric) << "  ";
  }
  out << (result.has_figure() ? figures_of(workload_, &result) : "  " + result.error);
  out << (is_bold ? "\033[0m" : "") << std::endl;
}

}  // namespace hashmill::perf
