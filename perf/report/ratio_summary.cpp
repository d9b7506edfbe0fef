#include "ratio_summary.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace hashmill::perf {
namespace {

/// Scenarios beyond this many are summed up as shortest, middle and longest.
constexpr std::size_t most_columns = 8;

/// Columns of TableAxesView that tell what a row is rather than under which axes it ran.
constexpr std::size_t num_identity_columns = 3;

/// One line of the summary: a pair of structures, with its ratio in each scenario.
struct RatioLine {
  std::string operation;
  std::string pair;
  std::string backend;
  std::map<std::string, double> ratios;
};

class RatioLines {
 public:
  void add(const RatioLine& line, const std::string& scenario, double ratio) {
    const auto found = std::ranges::find_if(lines_, [&](const RatioLine& other) {
      return other.operation == line.operation && other.pair == line.pair &&
             other.backend == line.backend;
    });
    RatioLine& target = found != lines_.end() ? *found : lines_.emplace_back(line);
    target.ratios[scenario] = ratio;
  }
  const std::vector<RatioLine>& lines() const { return lines_; }

 private:
  std::vector<RatioLine> lines_;
};

bool same_axes(const CompareCase& a, const CompareCase& b) {
  const bool same_tables =
      a.algorithm->is_peer || b.algorithm->is_peer || a.table.load_factor == b.table.load_factor;
  // Rows that do not depend on the fill have the first of its values; they are compared with each
  // row of `a`, but `a` only with rows of its own fill.
  const bool same_fill = !b.algorithm->axes.fill || a.table.fill == b.table.fill;
  const bool both_queried = a.algorithm->axes.queries && b.algorithm->axes.queries;
  DataAxes b_data = b.data;
  if (!both_queried) b_data.hit_rate = a.data.hit_rate;
  return same_tables && same_fill && a.data == b_data && a.result == b.result &&
         a.algorithm->axes.budget == b.algorithm->axes.budget && a.threads == b.threads;
}

/// The algorithm of ours that `algorithm` is measured against, if any.
std::string_view standard_of(std::string_view algorithm) {
  if (algorithm == "v2") return "v1";
  // Totals beside totals and pairs beside pairs, never beside results a query.
  if (algorithm == "probe-new-count") return "probe-standard-total";
  if (algorithm == "probe-new-all-count") return "probe-standard-total";
  if (algorithm == "probe-new-pairs") return "probe-standard-pairs";
  return "";
}

/// How `a` and `b` are compared: nothing if they are not.
std::optional<RatioLine> relation(const CompareCase& a, const CompareCase& b) {
  if (a.algorithm->is_peer || !same_axes(a, b)) return std::nullopt;
  const std::string operation(to_string(a.algorithm->kind));
  const std::string pair =
      std::string(a.algorithm->structure) + " : " + std::string(b.algorithm->structure);
  const std::string host = Kokkos::DefaultHostExecutionSpace::name();
  if (a.algorithm == b.algorithm && a.table == b.table && a.backend != host && b.backend == host) {
    return RatioLine{
        operation, std::string(a.algorithm->structure), a.backend + " : " + b.backend, {}};
  }
  const bool is_peer =
      b.algorithm->is_peer && a.algorithm->kind == b.algorithm->kind && a.algorithm->name != "v1";
  if (a.backend == b.backend && (is_peer || standard_of(a.algorithm->name) == b.algorithm->name)) {
    return RatioLine{operation, pair, a.backend, {}};
  }
  return std::nullopt;
}

std::string scenario_of(const CompareCase& row, const std::vector<CompareCase>& plan,
                        const TableAxesView& axes) {
  const auto index = static_cast<std::size_t>(&row - plan.data());
  std::string text;
  for (std::size_t i = num_identity_columns; i < axes.columns.size(); ++i) {
    const std::string& cell = axes.columns[i].cells[index];
    if (!cell.empty()) text += (text.empty() ? "" : ", ") + cell;
  }
  return text.empty() ? "ratio" : text;
}

/// "times as fast in new memory, by n, hit rate"
std::string title_of(const TableAxesView& axes, RunMemory memory) {
  std::string text =
      std::string("times as fast in ") + (memory == RunMemory::fresh ? "new" : "kept") + " memory";
  for (std::size_t i = num_identity_columns; i < axes.columns.size(); ++i) {
    text += (i == num_identity_columns ? ", by " : ", ") + axes.columns[i].heading;
  }
  return text;
}

std::string times(double ratio) {
  char text[32];
  std::snprintf(text, sizeof(text), ratio < 9.95 ? "%.2f" : ratio < 99.5 ? "%.1f" : "%.0f", ratio);
  return text;
}

/// Cells of one line under `headings`; shortest, middle and longest where there are too many
/// scenarios.
std::vector<std::string> cells_of(const RatioLine& line,
                                  const std::vector<std::string>& scenarios) {
  std::vector<std::string> cells;
  if (scenarios.size() <= most_columns) {
    for (const std::string& scenario : scenarios) {
      const auto found = line.ratios.find(scenario);
      cells.push_back(found == line.ratios.end() ? "-" : times(found->second));
    }
    return cells;
  }
  std::vector<double> sorted;
  for (const auto& [scenario, ratio] : line.ratios) sorted.push_back(ratio);
  std::ranges::sort(sorted);
  return {times(sorted.front()), times(sorted[sorted.size() / 2]), times(sorted.back())};
}

void print_lines(std::ostream& out, const std::vector<RatioLine>& lines,
                 const std::vector<std::string>& scenarios, const std::string& title) {
  std::vector<std::string> headings = scenarios;
  if (scenarios.size() > most_columns) headings = {"least", "middle", "most"};
  std::size_t widths[3] = {0, 0, 0};
  for (const RatioLine& line : lines) {
    widths[0] = std::max(widths[0], display_width(line.operation));
    widths[1] = std::max(widths[1], display_width(line.pair));
    widths[2] = std::max(widths[2], display_width(line.backend));
  }
  const auto print_cells = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out << "  " << padded(cells[i], std::max<std::size_t>(7, display_width(headings[i])), true);
    }
    out << '\n';
  };
  out << padded(title, widths[0] + widths[1] + widths[2] + 4, false);
  print_cells(headings);
  for (const RatioLine& line : lines) {
    out << padded(line.operation, widths[0], false) << "  " << padded(line.pair, widths[1], false)
        << "  " << padded(line.backend, widths[2], false);
    print_cells(cells_of(line, scenarios));
  }
}

}  // namespace

void print_ratios(std::ostream& out, const std::vector<CompareResult>& results,
                  const std::vector<CompareCase>& plan, const TableAxesView& axes,
                  RunMemory memory) {
  RatioLines lines;
  std::vector<std::string> scenarios;
  for (const CompareResult& a : results) {
    for (const CompareResult& b : results) {
      if (&a == &b || !a.has_figure() || !b.has_figure()) continue;
      const auto line = relation(*a.row, *b.row);
      if (!line) continue;
      const std::string scenario = scenario_of(*a.row, plan, axes);
      if (std::ranges::find(scenarios, scenario) == scenarios.end()) scenarios.push_back(scenario);
      lines.add(*line, scenario, a.rate(memory) / b.rate(memory));
    }
  }
  if (!lines.lines().empty()) print_lines(out, lines.lines(), scenarios, title_of(axes, memory));
}

}  // namespace hashmill::perf
