#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "compare_case.hpp"
#include "operation.hpp"

namespace hashmill::perf {

/// What the repetitions in memory of one kind came to.
struct RunTimes {
  unsigned num_repetitions = 0;  ///< those that were run and right; 0: the row has none such
  double median_seconds = 0;
  double spread = 0;  ///< (longest - shortest) / median

  explicit operator bool() const { return num_repetitions > 0; }
};

/// The median and the spread of some seconds.
inline RunTimes times_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::ranges::sort(seconds);
  const std::size_t half = seconds.size() / 2;
  RunTimes times;
  times.num_repetitions = static_cast<unsigned>(seconds.size());
  times.median_seconds =
      seconds.size() % 2 == 1 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
  times.spread = (seconds.back() - seconds.front()) / times.median_seconds;
  return times;
}

/// What the repetitions of one row came to.
struct CompareResult {
  const CompareCase* row = nullptr;
  RunTimes fresh, kept;         ///< in memory of either kind, see RunMemory
  double giga_items = 0;        ///< of keys, or of what else the workload counts, in units of 10^9
  double gigabytes = 0;         ///< minimum traffic
  double output_gigabytes = 0;  ///< what of it is written
  double copy_seconds = 0;      ///< in which the backend copies that traffic
  std::map<std::string, double> figures;  ///< medians of those that the workload shows
  std::string error;                      ///< why there is no figure; empty if there is one

  bool has_figure() const { return error.empty() && (fresh || kept); }

  /// The times in memory of a kind, or the only ones that there are.
  const RunTimes& times(RunMemory memory) const {
    return memory == RunMemory::fresh ? (fresh ? fresh : kept) : (kept ? kept : fresh);
  }
  /// Of items, in units of 10^9 a second.
  double rate(RunMemory memory) const { return giga_items / times(memory).median_seconds; }
};

}  // namespace hashmill::perf
