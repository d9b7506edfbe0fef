#include "compare_runner.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <exception>
#include <hashmill/error.hpp>

#include "machine/unsupported_case.hpp"
#include "report/table_columns.hpp"

namespace hashmill::perf {
namespace {

/// Repetitions shorter than this are never left out: they cost nothing, and Google Benchmark may
/// still be choosing the number of iterations by them.
constexpr double negligible_seconds = 0.05;

/// Ends a repetition with a message. It has to begin like any other: Google Benchmark insists on
/// the same number of iterations in each.
void give_up(benchmark::State& state, const std::string& message) {
  for ([[maybe_unused]] auto iteration : state) return state.SkipWithError(message.c_str());
}

/// Gives what the C library holds and nobody uses back to the system, as it keeps the memory of
/// blocks below its threshold, of up to 32 MiB, for the next to ask.
void give_memory_back() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

CompareRunner::CompareRunner(const Workload& workload, std::vector<std::unique_ptr<Suite>> suites,
                             const std::vector<CompareCase>& plan,
                             const std::vector<BackendInfo>& backends, ProgressBar& progress,
                             unsigned repetitions, const TimeBudget& budget)
    : workload_(workload),
      plan_(plan),
      backends_(backends),
      progress_(progress),
      repetitions_(repetitions),
      budget_(budget),
      suites_(std::move(suites)) {}

void CompareRunner::run(std::size_t index, benchmark::State& state) {
  const auto start = std::chrono::steady_clock::now();
  state.SetLabel(label_of(plan_[index]));
  if (index != current_) {
    enter(index);
  } else if (last_timed_seconds_ > negligible_seconds &&
             !budget_.allows(2 * index + 1, last_call_seconds_)) {
    return give_up(state, budget_message);
  }
  if (case_error_.empty()) {
    measure_all(state);
  } else {
    give_up(state, case_error_);
  }
  last_call_seconds_ = seconds_since(start);
}

void CompareRunner::enter(std::size_t index) {
  leave();
  current_ = index;
  case_error_.clear();
  fresh_ = {};
  const CompareCase& row = plan_[index];
  progress_.show(index, std::string(to_string(row.algorithm->kind)) + " · " +
                            std::string(row.algorithm->structure) + " · " + row.backend + " · " +
                            short_count(row.data.num_keys));
  for (const auto& suite : suites_) {
    const bool is_alike = suite->key_bits() == row.data.key_bits &&
                          suite->takes_columns() == (row.data.columns != KeyColumns::one);
    if (!is_alike) suite->clear();
  }
  attempt([&] {
    operation_ = suite_of(suites_, row).make_operation(row);
    const bool has_fresh = operation_->runs_in(RunMemory::fresh);
    timed_ = operation_->runs_in(RunMemory::kept) ? RunMemory::kept : RunMemory::fresh;
    // Not timed: a first run may load kernels, wake threads and touch inputs.
    measure(has_fresh ? RunMemory::fresh : RunMemory::kept);
    if (timed_ == RunMemory::fresh) return;
    if (has_fresh) measure_fresh();
    // Joins the pieces of temporary memory that the last run took: later ones find one block.
    measure(RunMemory::kept);
  });
}

void CompareRunner::measure_fresh() {
  std::vector<double> seconds;
  const auto start = std::chrono::steady_clock::now();
  do {
    seconds.push_back(measure(RunMemory::fresh));
  } while (
      seconds.size() < repetitions_ &&
      (seconds.back() <= negligible_seconds ||
       budget_.allows(2 * current_, seconds_since(start) / static_cast<double>(seconds.size()))));
  fresh_ = times_of(seconds);
}

void CompareRunner::leave() {
  operation_.reset();
  current_ = none;
}

template <class Work>
void CompareRunner::attempt(const Work& work) {
  try {
    work();
  } catch (const CapacityError& error) {
    case_error_ = "skipped: " + std::string(error.what());
  } catch (const UnsupportedCase& error) {
    case_error_ = "skipped: " + std::string(error.what());
  } catch (const std::exception& error) {
    case_error_ = "FAILED: " + std::string(error.what());
    ++num_failures_;
  }
}

double CompareRunner::measure(RunMemory memory) {
  operation_->prepare(memory);
  if (memory == RunMemory::fresh) give_memory_back();
  const auto start = std::chrono::steady_clock::now();
  operation_->run();
  const double seconds = seconds_since(start);
  const std::string fault = operation_->verify();
  if (!fault.empty()) throw Error("wrong result: " + fault);
  return seconds;
}

void CompareRunner::measure_all(benchmark::State& state) {
  last_timed_seconds_ = 0;
  for ([[maybe_unused]] auto iteration : state) {
    double seconds = 0;
    attempt([&] { seconds = measure(timed_); });
    if (!case_error_.empty()) return state.SkipWithError(case_error_.c_str());
    state.SetIterationTime(seconds);
    last_timed_seconds_ += seconds;
  }
  const auto num_iterations = static_cast<double>(state.iterations());
  report_rates(plan_[current_], last_timed_seconds_ / num_iterations, state);
}

void CompareRunner::report_rates(const CompareCase& row, double seconds,
                                 benchmark::State& state) const {
  const double bytes_per_second = operation_->traffic().total() / seconds;
  state.counters[workload_.rate_counter] =
      static_cast<double>(operation_->num_items()) / seconds * 1e-9;
  state.counters["GB_per_second"] = bytes_per_second * 1e-9;
  state.counters["output_GB_per_second"] = operation_->traffic().written / seconds * 1e-9;
  state.counters["share_of_copy"] = bytes_per_second / backend_of(row).copy_bytes_per_second;
  state.counters["kept_memory"] = timed_ == RunMemory::kept ? 1 : 0;
  if (fresh_) {
    state.counters["new_memory_seconds"] = fresh_.median_seconds;
    state.counters["new_memory_spread"] = fresh_.spread;
    state.counters["new_memory_repetitions"] = fresh_.num_repetitions;
  }
  for (const RunFigure& figure : operation_->figures()) {
    state.counters[figure.counter] = figure.value;
  }
  if (row.threads != 0) state.counters["threads"] = row.threads;
  state.counters["is_peer"] = row.algorithm->is_peer ? 1 : 0;
  state.counters["key_bits"] = row.data.key_bits;
  if (!row.data.file) state.counters["order"] = static_cast<double>(row.data.order);
  state.counters["num_keys"] = static_cast<double>(row.data.num_keys);
  if (row.algorithm->axes.queries) {
    state.counters["num_queries"] = static_cast<double>(row.data.num_queries);
    state.counters["hit_rate"] = row.data.hit_rate;
  }
  if (row.algorithm->axes.load_factor) state.counters["load_factor"] = row.table.load_factor;
  if (row.algorithm->axes.fill) state.counters["fill"] = row.table.fill;
  if (row.algorithm->axes.bins && row.table.bins != 0) {
    state.counters["bins"] = static_cast<double>(row.table.bins);
  }
  report_workload_axes(row, state);
}

void CompareRunner::report_workload_axes(const CompareCase& row, benchmark::State& state) {
  const UsedAxes& axes = row.algorithm->axes;
  if (!row.data.file && !axes.groups) {
    state.counters["multiplicity"] = row.data.multiplicity;
  }
  if (axes.sides || axes.groups) {
    state.counters["zipf"] = row.data.skew;
    state.counters["columns"] = static_cast<double>(row.data.columns);
  }
  if (axes.groups) {
    state.counters["num_groups"] = static_cast<double>(row.data.num_groups);
    state.counters["aggregates"] = static_cast<double>(row.result.aggregates);
  }
  if (axes.sides) {
    state.counters["kind"] = static_cast<double>(row.result.kind);
    state.counters["payload"] = static_cast<double>(row.result.output);
    state.counters["ratio"] =
        static_cast<double>(row.data.num_queries) / static_cast<double>(row.data.num_keys);
  }
}

std::string CompareRunner::label_of(const CompareCase& row) const {
  const std::string keys =
      row.data.file ? row.data.file->description() : to_string(row.data.order) + " keys";
  return std::string(to_string(row.algorithm->kind)) + " | " +
         std::string(row.algorithm->structure) + " | " + runs_on(row, backends_) + " | " + keys;
}

const BackendInfo& CompareRunner::backend_of(const CompareCase& row) const {
  return *std::ranges::find(backends_, row.backend, &BackendInfo::name);
}

}  // namespace hashmill::perf
