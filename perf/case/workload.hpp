#pragma once

#include <string>
#include <vector>

#include "compare_case.hpp"

namespace hashmill::perf {

/// A column of what runs tell of themselves.
struct FigureHeading {
  const char* counter;  ///< see RunFigure
  std::string heading;
  std::string (*text)(double value);
};

/// What a command of hashmill-compare compares, as its table and its files show it.
struct Workload {
  std::string rate_counter;  ///< in Google Benchmark's JSON, in units of 10^9
  std::string rate_heading;  ///< of the column
  double rate_factor = 1;    ///< from units of 10^9 to those of the column
  int rate_decimals = 4;
  bool shows_output = false;  ///< GB/s of what is written, rather than of all minimum traffic
  bool keeps_memory = true;   ///< whether there are runs in kept memory
  std::vector<FigureHeading> figures = {};  ///< columns behind the others
  std::string legend;                       ///< lines that say what the figures mean
};

/// What all legends end with.
inline const std::string memory_legend =
    "new: the median where all memory of a run, results and tables too, is allocated within the "
    "time;\n"
    "kept: where it is that of the run before, used again; -: there is nothing to keep, or to "
    "allocate\n"
    "spread: (longest - shortest) / median, the larger of both; GB/s and of copy: of kept, or of "
    "new\n"
    "where that is alone\n";

/// The rows to run, and lines that say what was left out.
struct Plan {
  std::vector<CompareCase> cases;
  std::vector<std::string> notes;
};

inline const Workload tables_workload = {
    .rate_counter = "Gkeys_per_second",
    .rate_heading = "Gkeys/s",
    .legend =
        "a key is a query, in build and insert one of the table, in churn one erased or inserted\n"
        "build, kept: the table is emptied and filled again; insert, churn: the table is there in "
        "both\n"
        "GB/s: minimum traffic (perf/byte_budget.hpp), of copy: its share of the copy above\n"
        "join: with the build of the queries' table; pairs are in new memory in both\n" +
        memory_legend};

inline const Workload joins_workload = {
    .rate_counter = "Gtuples_per_second",
    .rate_heading = "Mtuples/s",
    .rate_factor = 1e3,
    .rate_decimals = 1,
    .shows_output = true,
    .legend =
        "n: rows of the right side, of which tables are built; a tuple is a row of either side\n"
        "kind: inner, or also rows without partners: of the left side, the right side or both "
        "(full)\n"
        "payload: the pairs' row numbers, or so many bytes of each side, or count, for which "
        "hash_join\n"
        "moves keys alone, and MC-Hash tuples of key and row\n"
        "time: from keys to results\n"
        "out GB/s: what is written; of copy: share of the copy above that the least traffic "
        "takes\n" +
        memory_legend};

inline const Workload group_bys_workload = {
    .rate_counter = "Grows_per_second",
    .rate_heading = "Mrows/s",
    .rate_factor = 1e3,
    .rate_decimals = 1,
    .legend =
        "aggregate: of a value of 4 bytes; count, sum with count, or all of count, sum, min, "
        "max, mean\n"
        "time: from rows to columns of groups, which are in new memory in both\n"
        "GB/s: minimum traffic (perf/byte_budget.hpp), of copy: its share of the copy above\n" +
        memory_legend};

inline const Workload cpu_workload = {
    .rate_counter = "Grows_per_second",
    .rate_heading = "Mrows/s",
    .rate_factor = 1e3,
    .rate_decimals = 1,
    .legend =
        "Mrows/s: of both sides in joins, of the right in builds and inserts, of the left in "
        "finds\n"
        "joins write pairs of row numbers, or count them: hash_join moves keys alone then, MC-Hash "
        "tuples\n"
        "build, kept: the table is emptied and filled again; insert: the table is there in both\n"
        "GB/s: minimum traffic (perf/byte_budget.hpp), of copy: its share of the copy above\n" +
        memory_legend};

}  // namespace hashmill::perf
