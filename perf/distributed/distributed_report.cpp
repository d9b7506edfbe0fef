#include "distributed_report.hpp"

#include <cstdio>
#include <hashmill/commit.hpp>
#include <hashmill/version.hpp>
#include <ostream>

#include "report/table_columns.hpp"
#include "topology/topology_report.hpp"

namespace hashmill::perf {
namespace {

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string counted(std::uint64_t count, const char* word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

/// A column of a table of `Line`s.
template <class Line>
struct Figure {
  const char* heading;
  bool is_numeric;
  std::string (*cell)(const Line&);
};

template <class Line, std::size_t N>
void print(std::ostream& out, const Figure<Line> (&figures)[N], const std::vector<Line>& lines) {
  std::vector<TableColumn> columns;
  for (const Figure<Line>& figure : figures) {
    TableColumn column{figure.heading, {}, figure.is_numeric};
    for (const Line& line : lines) column.cells.push_back(figure.cell(line));
    columns.push_back(std::move(column));
  }
  print_table(out, columns);
}

constexpr Figure<RankResult> result_figures[] = {
    {"operation", false, [](const RankResult& r) { return r.operation; }},
    {"by", false, [](const RankResult& r) { return r.name; }},
    {"ranks", true, [](const RankResult& r) { return std::to_string(r.num_ranks); }},
    {"bytes per rank", true, [](const RankResult& r) { return readable_bytes(r.bytes_per_rank); }},
    {"ms", true, [](const RankResult& r) { return short_decimal(1e3 * r.median_seconds(), 3); }},
    {"GB/s per rank", true,
     [](const RankResult& r) {
       return r.bytes_sent == 0 ? "-" : short_decimal(r.giga_bytes_per_second(), 2);
     }},
    {"ratio", true,
     [](const RankResult& r) { return r.ratio == 0 ? "-" : formatted("%.2f", r.ratio); }},
    {"", false,
     [](const RankResult& r) {
       return r.num_wrong == 0 ? "" : counted(r.num_wrong, "WRONG value");
     }},
};

constexpr Figure<PhaseSummary> phase_figures[] = {
    {"phase", false, [](const PhaseSummary& p) { return p.name; }},
    {"calls", true, [](const PhaseSummary& p) { return std::to_string(p.calls); }},
    {"sent by all", true, [](const PhaseSummary& p) { return readable_bytes(p.bytes_sent); }},
    {"s", true, [](const PhaseSummary& p) { return short_decimal(p.seconds, 3); }},
};

}  // namespace

std::vector<PhaseSummary> summarise_phases(const Communicator& control,
                                           const CommunicationStatistics& statistics) {
  std::vector<PhaseSummary> phases;
  std::vector<std::uint64_t> bytes, nanoseconds;
  for (const auto& [name, phase] : statistics.phases) {
    phases.push_back({name, phase.calls});
    bytes.push_back(phase.bytes_sent);
    nanoseconds.push_back(static_cast<std::uint64_t>(1e9 * phase.seconds));
  }
  control.all_reduce(bytes, Reduction::sum);
  control.all_reduce(nanoseconds, Reduction::maximum);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    phases[i].bytes_sent = bytes[i];
    phases[i].seconds = 1e-9 * static_cast<double>(nanoseconds[i]);
  }
  return phases;
}

void print_ranks(std::ostream& out, const Communicator& ranks, const DistributedOptions& options) {
  out << "hashmill " << HASHMILL_VERSION_STRING << " (" << HASHMILL_GIT_HASH << ") · "
      << counted(static_cast<std::uint64_t>(ranks.size()), "rank") << " on "
      << counted(static_cast<std::uint64_t>(ranks.places().num_nodes()), "node");
  if (options.link) {
    out << formatted(" · link of %g GB/s", 1e-9 * options.link->bytes_per_second)
        << formatted(", %g us", 1e6 * options.link->latency.count());
  }
  out << "\nms: median of the slowest rank's times; GB/s per rank: bytes that leave a rank, over "
         "that "
         "time;\nratio: time of "
      << (options.link ? "the link alone" : "MPI_Alltoallv")
      << ", over that of the row: above 1, the row is faster\n\n";
}

void print_results(std::ostream& out, const std::vector<RankResult>& results) {
  print(out, result_figures, results);
}

void print_phases(std::ostream& out, const std::vector<PhaseSummary>& phases) {
  out << "\nPhases of the communicator, over all runs; s: that the slowest rank waited\n";
  print(out, phase_figures, phases);
}

}  // namespace hashmill::perf
