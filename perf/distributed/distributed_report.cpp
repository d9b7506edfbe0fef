#include "distributed_report.hpp"

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <functional>
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

/// A column of a table of results.
struct Figure {
  std::string heading;
  bool is_numeric;
  std::function<std::string(const RankResult&)> cell;
};

/// Prints the columns in which a line has something.
void print(std::ostream& out, const std::vector<Figure>& figures,
           const std::vector<RankResult>& results) {
  std::vector<TableColumn> columns;
  for (const Figure& figure : figures) {
    TableColumn column{figure.heading, {}, figure.is_numeric};
    bool is_used = false;
    for (const RankResult& result : results) {
      column.cells.push_back(figure.cell(result));
      is_used = is_used || !column.cells.back().empty();
    }
    if (is_used) columns.push_back(std::move(column));
  }
  if (!columns.empty()) print_table(out, columns);
}

/// What both tables begin with.
std::vector<Figure> first_figures() {
  return {
      {"operation", false, [](const RankResult& r) { return r.operation; }},
      {"by", false, [](const RankResult& r) { return r.name; }},
      {"keys", false, [](const RankResult& r) { return r.keys; }},
      {"ranks", true, [](const RankResult& r) { return std::to_string(r.num_ranks); }},
  };
}

std::vector<Figure> result_figures() {
  std::vector<Figure> figures = first_figures();
  const std::vector<Figure> more = {
      {"per rank", true,
       [](const RankResult& r) {
         return r.keys.empty() ? readable_bytes(r.bytes_per_rank) : short_count(r.rows) + " rows";
       }},
      {"ms", true, [](const RankResult& r) { return short_decimal(1e3 * r.median_seconds(), 3); }},
      {"Mrows/s per rank", true,
       [](const RankResult& r) {
         return r.rows == 0 ? "" : short_decimal(1e-6 * r.rows_per_second(), 1);
       }},
      {"sent", true,
       [](const RankResult& r) { return r.bytes_sent == 0 ? "" : readable_bytes(r.bytes_sent); }},
      {"GB/s per rank", true,
       [](const RankResult& r) {
         return r.bytes_sent == 0 ? "-" : short_decimal(r.giga_bytes_per_second(), 2);
       }},
      {"ratio", true,
       [](const RankResult& r) { return r.ratio == 0 ? "-" : short_decimal(r.ratio, 2); }},
      {"of 1 rank", true,
       [](const RankResult& r) { return r.scaling == 0 ? "" : short_decimal(r.scaling, 2); }},
      {"plan", false, [](const RankResult& r) { return r.plan; }},
      {"", false,
       [](const RankResult& r) {
         return r.num_wrong == 0 ? "" : counted(r.num_wrong, "WRONG value");
       }},
  };
  figures.insert(figures.end(), more.begin(), more.end());
  return figures;
}

}  // namespace

void print_ranks(std::ostream& out, const Communicator& ranks, const DistributedOptions& options,
                 const std::string& transport) {
  out << "hashmill " << HASHMILL_VERSION_STRING << " (" << HASHMILL_GIT_HASH << ") · "
      << counted(static_cast<std::uint64_t>(ranks.size()), "rank") << " on "
      << counted(static_cast<std::uint64_t>(ranks.places().num_nodes()), "node") << " · "
      << Kokkos::DefaultExecutionSpace::name() << " · " << transport;
  if (options.link) {
    out << formatted(" · link of %g GB/s", 1e-9 * options.link->bytes_per_second)
        << formatted(", %g us", 1e6 * options.link->latency.count());
  }
  out << "\nms: median of the slowest rank's times; GB/s per rank: bytes that leave a rank, over "
         "that time\n"
      << "ratio: time of "
      << (options.link ? "the link alone"
                       : "the transport's own call, for tables and joins of one rank's rows alone")
      << ", over that of the row: above 1, the row is faster\n"
      << "of 1 rank: rows per rank and second, by those of one rank with as many rows"
      << (options.is_strong ? " in all" : "") << "\n\n";
}

void print_results(std::ostream& out, const std::vector<RankResult>& results) {
  print(out, result_figures(), results);
}

void print_phases(std::ostream& out, const std::vector<RankResult>& results) {
  std::vector<RankResult> shown;
  for (const RankResult& result : results) {
    if (result.phases) shown.push_back(result);
  }
  if (shown.empty()) return;
  std::vector<Figure> figures = first_figures();
  for (std::size_t p = 0; p < num_run_phases; ++p) {
    const auto cell = [p](const RankResult& r) {
      const double seconds = (*r.phases)[p];
      return seconds == 0 ? "" : short_decimal(1e3 * seconds, 3);
    };
    figures.push_back({name_of(static_cast<RunPhase>(p)), true, cell});
  }
  out << "\nPhases of one run more, whose kernels overlap nothing: ms, means of all ranks\n";
  print(out, figures, shown);
}

}  // namespace hashmill::perf
