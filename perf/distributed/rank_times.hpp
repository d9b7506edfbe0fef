#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rank_row.hpp"
#include "run/median.hpp"
#include "run/time_budget.hpp"
#include "run_phases.hpp"

namespace hashmill::perf {

/// What a line of the table shows. Equal on all ranks that were timed.
struct RankResult {
  std::string operation, name;
  std::string keys;          ///< in words; empty: the operation has none
  bool is_standard = false;  ///< whether the others of the operation are compared to it
  bool is_link = false;      ///< whether it is what the link alone would take: nothing was run
  int num_ranks = 0;
  std::size_t case_number = 0;       ///< among those of the operation: the same for all `num_ranks`
  std::uint64_t rows = 0;            ///< of the first rank; 0: it has none
  std::uint64_t bytes_per_rank = 0;  ///< that it sends, to itself too; 0: it has rows
  std::uint64_t bytes_sent = 0;      ///< that leave the rank which sends most
  std::vector<double> seconds;       ///< of each repetition, of its slowest rank
  double ratio = 0;                  ///< to the standard: above 1, faster. 0: there is none
  double scaling = 0;                ///< rows per rank and second, to those of one rank; 0: no rows
  std::uint64_t num_wrong = 0;       ///< values, of all ranks
  std::optional<PhaseSeconds> phases{};  ///< of one run more; means of all ranks
  std::string plan{};                    ///< how rows move, in words

  double median_seconds() const;
  /// Bytes that leave a rank, over the time.
  double giga_bytes_per_second() const;
  /// Rows of a rank, over the time.
  double rows_per_second() const;
};

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
  bool has_phases = false;
};

/// Times the rows of an operation in turn, so that noise hits all of them, and checks the result of
/// every run. One run of each comes before, untimed, and with phases one behind. Collective.
std::vector<RankResult> time_rows(const Ranks& ranks, const RankOperation& operation,
                                  const RankCase& input, const Repetitions& repetitions);

/// Compares the results of each row to its own on one rank, where there is one.
void add_scaling(std::vector<RankResult>& results);

}  // namespace hashmill::perf
