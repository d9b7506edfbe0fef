#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "case/compare_case.hpp"
#include "case/compare_result.hpp"
#include "case/operation.hpp"
#include "case/suite.hpp"
#include "case/workload.hpp"
#include "machine/backend_info.hpp"
#include "progress_bar.hpp"
#include "time_budget.hpp"

namespace hashmill::perf {

/// Runs the rows of a plan under Google Benchmark: keeps the data and the work of the current row
/// between its repetitions, times, verifies every result, and keeps to the time budget. Of a row
/// that runs in memory of both kinds, the repetitions in new memory come first and are counters;
/// those in kept memory are what Google Benchmark times.
class CompareRunner {
 public:
  /// `suites` run the rows, `repetitions` times in memory of each kind. `budget` has two steps a
  /// row. The other arguments must outlive the runner.
  CompareRunner(const Workload& workload, std::vector<std::unique_ptr<Suite>> suites,
                const std::vector<CompareCase>& plan, const std::vector<BackendInfo>& backends,
                ProgressBar& progress, unsigned repetitions, const TimeBudget& budget);

  /// Body of the benchmark of row `index`: one repetition, of one or more iterations. A wrong
  /// result, memory that does not suffice and a budget that is spent end it with an error message
  /// for Google Benchmark.
  void run(std::size_t index, benchmark::State& state);

  /// Number of rows that gave a wrong result or failed otherwise; memory that does not suffice is
  /// no failure.
  std::size_t num_failures() const { return num_failures_; }

  /// Message of a repetition that was left out to keep to the time budget.
  static constexpr const char* budget_message = "left out: time budget spent";

 private:
  void enter(std::size_t index);
  void leave();
  double measure(RunMemory memory);
  void measure_fresh();
  template <class Work>
  void attempt(const Work& work);
  void measure_all(benchmark::State& state);
  void report_rates(const CompareCase& row, double seconds, benchmark::State& state) const;
  static void report_workload_axes(const CompareCase& row, benchmark::State& state);
  std::string label_of(const CompareCase& row) const;
  const BackendInfo& backend_of(const CompareCase& row) const;

  static constexpr std::size_t none = ~std::size_t{0};

  const Workload& workload_;
  const std::vector<CompareCase>& plan_;
  const std::vector<BackendInfo>& backends_;
  ProgressBar& progress_;
  unsigned repetitions_;
  const TimeBudget& budget_;
  std::vector<std::unique_ptr<Suite>> suites_;
  std::size_t current_ = none;
  std::unique_ptr<Operation> operation_;
  std::string case_error_;             ///< ends every further repetition of the row
  RunMemory timed_ = RunMemory::kept;  ///< of the repetitions that Google Benchmark times
  RunTimes fresh_;                     ///< of the others
  double last_call_seconds_ = 0;
  double last_timed_seconds_ = 0;
  std::size_t num_failures_ = 0;
};

}  // namespace hashmill::perf
