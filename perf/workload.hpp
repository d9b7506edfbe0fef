#pragma once

#include <string>
#include <vector>

#include "compare_case.hpp"

namespace hashmill::perf {

/// What a command of hashmill-compare compares, as its table and its files show it.
struct Workload {
  std::string rate_counter;  ///< in Google Benchmark's JSON, in units of 10^9
  std::string rate_heading;  ///< of the column
  double rate_factor = 1;    ///< from units of 10^9 to those of the column
  int rate_decimals = 4;
  bool shows_output = false;  ///< GB/s of what is written, rather than of all minimum traffic
  bool shows_first = false;   ///< the time of the first run, too
  std::string legend;         ///< lines that say what the figures mean
};

/// The rows to run, and lines that say what was left out.
struct Plan {
  std::vector<CompareCase> cases;
  std::vector<std::string> notes;
};

inline const Workload tables_workload = {
    .rate_counter = "Gkeys_per_second",
    .rate_heading = "Gkeys/s",
    .legend =
        "time: median, spread: (longest - shortest) / median; a key is a query, in build and "
        "insert\n"
        "one of the table, in churn one erased or inserted\n"
        "GB/s: minimum traffic (perf/byte_budget.hpp), of copy: its share of the copy above\n"
        "join: with the build of the queries' table\n"};

inline const Workload joins_workload = {
    .rate_counter = "Gtuples_per_second",
    .rate_heading = "Mtuples/s",
    .rate_factor = 1e3,
    .rate_decimals = 1,
    .shows_output = true,
    .legend =
        "n: rows of R, of which tables are built; a tuple is a row of R or of S\n"
        "kind: inner, or also rows without partners: of S (left), of R (right), of both (full)\n"
        "payload: count, or the pairs' row numbers, or so many bytes of each side\n"
        "time: median, from keys to results, with all memory; spread: (longest - shortest) / "
        "median\n"
        "out GB/s: what is written; of copy: share of the copy above that the least traffic "
        "takes\n"};

inline const Workload group_bys_workload = {
    .rate_counter = "Grows_per_second",
    .rate_heading = "Mrows/s",
    .rate_factor = 1e3,
    .rate_decimals = 1,
    .legend =
        "aggregate: of a value of 4 bytes; count, sum with count, or all of count, sum, min, "
        "max, mean\n"
        "time: median, from rows to columns of groups, with all memory;\n"
        "spread: (longest - shortest) / median\n"
        "GB/s: minimum traffic (perf/byte_budget.hpp), of copy: its share of the copy above\n"};

inline const Workload cpu_workload = {
    .rate_counter = "Grows_per_second",
    .rate_heading = "Mrows/s",
    .rate_factor = 1e3,
    .rate_decimals = 1,
    .shows_first = true,
    .legend =
        "Mrows/s: of R and S in joins, of R in builds, of S in finds; joins count pairs\n"
        "time: median, in memory used before but for what is returned; spread: (longest - "
        "shortest)\n"
        "/ median; first: a run in new memory, whose pages are touched for the first time\n"
        "GB/s: minimum traffic (perf/byte_budget.hpp), of copy: its share of the copy above\n"};

}  // namespace hashmill::perf
