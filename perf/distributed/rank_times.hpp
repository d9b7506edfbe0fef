#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "rank_row.hpp"
#include "run/time_budget.hpp"

namespace hashmill::perf {

/// What a line of the table shows. Equal on all ranks.
struct RankResult {
  std::string operation, name;
  bool is_standard = false;
  int num_ranks = 0;
  std::uint64_t bytes_per_rank = 0, bytes_sent = 0;
  std::vector<double> seconds;  ///< of each repetition, of its slowest rank
  double ratio = 0;             ///< to the standard: above 1, faster. 0: there is none
  std::uint64_t num_wrong = 0;  ///< values, of all ranks

  double median_seconds() const;
  /// Bytes that leave a rank, over the time.
  double giga_bytes_per_second() const;
};

/// Of an even number of values, the mean of the middle ones.
double median(std::vector<double> values);

/// Seconds of a call, from when all ranks are there until the last of them is done. Collective.
template <class Call>
double slowest_seconds(const Communicator& control, const Call& call) {
  control.barrier();
  const auto began = std::chrono::steady_clock::now();
  call();
  const auto took = std::chrono::steady_clock::now() - began;
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
  std::uint64_t slowest[] = {std::max<std::uint64_t>(1, static_cast<std::uint64_t>(nanoseconds))};
  control.all_reduce(slowest, Reduction::maximum);
  return 1e-9 * static_cast<double>(slowest[0]);
}

/// How often rows are timed.
struct Repetitions {
  unsigned number;
  const TimeBudget& budget;
  std::size_t step;  ///< of the budget
};

/// Times the rows of an operation in turn, so that noise hits all of them, and checks the result of
/// every run. One run of each comes before, untimed. Collective.
std::vector<RankResult> time_rows(const Ranks& ranks, const RankOperation& operation,
                                  const RankCase& input, const Repetitions& repetitions);

}  // namespace hashmill::perf
