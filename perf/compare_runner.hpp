#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "backend_info.hpp"
#include "compare_case.hpp"
#include "operation.hpp"
#include "progress_bar.hpp"
#include "suite.hpp"
#include "time_budget.hpp"

namespace hashmill::perf {

/// Runs the rows of a plan under Google Benchmark: keeps the data and the work of the current row
/// between its repetitions, times, verifies every result, and keeps to the time budget.
class CompareRunner {
 public:
  /// The plan and the other arguments must outlive the runner.
  CompareRunner(const std::vector<CompareCase>& plan, const std::vector<BackendInfo>& backends,
                ProgressBar& progress, const TimeBudget& budget);

  /// Body of the benchmark of row `index`: one repetition, of one or more iterations. A wrong
  /// result, memory that does not suffice and a budget that is spent end it with an error message
  /// for Google Benchmark.
  void run(std::size_t index, benchmark::State& state);

  /// Number of repetitions whose result was wrong.
  std::size_t num_wrong() const { return num_wrong_; }

  /// Message of a repetition that was left out to keep to the time budget.
  static constexpr const char* budget_message = "left out: time budget spent";

  /// What messages of memory that does not suffice begin with.
  static constexpr const char* skipped_prefix = "skipped: ";

 private:
  struct Timing {
    double seconds = 0;  ///< timed part
    std::string error;   ///< empty: the result is right
  };

  void enter(std::size_t index);
  void leave();
  Timing measure();
  void measure_all(benchmark::State& state);
  void report_rates(const CompareCase& row, double seconds, benchmark::State& state) const;
  Suite& suite_of(const CompareCase& row);
  const BackendInfo& backend_of(const CompareCase& row) const;

  static constexpr std::size_t none = ~std::size_t{0};

  const std::vector<CompareCase>& plan_;
  const std::vector<BackendInfo>& backends_;
  ProgressBar& progress_;
  const TimeBudget& budget_;
  std::vector<std::unique_ptr<Suite>> suites_;
  Suite* active_suite_ = nullptr;
  std::size_t current_ = none;
  std::unique_ptr<Operation> operation_;
  std::string entry_error_;
  double last_call_seconds_ = 0;
  double last_timed_seconds_ = 0;
  std::size_t num_wrong_ = 0;
};

}  // namespace hashmill::perf
