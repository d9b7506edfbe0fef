#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <hashmill/version.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "backend_info.hpp"
#include "compare_options.hpp"
#include "compare_plan.hpp"
#include "compare_runner.hpp"
#include "plot.hpp"
#include "progress_bar.hpp"
#include "ratio_summary.hpp"
#include "table_reporter.hpp"
#include "time_budget.hpp"

namespace hashmill::perf {
namespace {

/// Budget under which nothing is left out: Google Benchmark has been told how long to go on.
constexpr double unlimited_seconds = 1e9;

/// Owns the strings of an argument vector in the form that initialisation functions take.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
    words_.insert(words_.begin(), "hashmill-compare");
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
    count_ = static_cast<int>(words_.size());
  }
  int& count() { return count_; }
  char** values() { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
  int count_;
};

/// Google Benchmark's arguments: this program's defaults first, so that flags of the caller
/// override them.
std::vector<std::string> benchmark_arguments(const CompareOptions& options,
                                             const std::string& json_path) {
  std::vector<std::string> words = {
      "--benchmark_min_time=0.001",
      "--benchmark_repetitions=" + std::to_string(options.repetitions)};
  if (!json_path.empty()) {
    words.push_back("--benchmark_out=" + json_path);
    words.push_back("--benchmark_out_format=json");
  }
  words.insert(words.end(), options.benchmark_flags.begin(), options.benchmark_flags.end());
  return words;
}

/// Kokkos's arguments: its advice about thread binding would break the table.
std::vector<std::string> kokkos_flags(const CompareOptions& options) {
  std::vector<std::string> words = {"--kokkos-disable-warnings"};
  words.insert(words.end(), options.kokkos_flags.begin(), options.kokkos_flags.end());
  return words;
}

void add_context(const std::vector<BackendInfo>& backends) {
  benchmark::AddCustomContext("hashmill_version", HASHMILL_VERSION_STRING);
  benchmark::AddCustomContext("hashmill_git_hash", HASHMILL_GIT_HASH);
  for (const BackendInfo& backend : backends) {
    benchmark::AddCustomContext(backend.name + "_device", backend.device);
    benchmark::AddCustomContext(backend.name + "_copy_GB_per_second",
                                std::to_string(backend.copy_bytes_per_second * 1e-9));
  }
}

/// Runs the plan; the exit code.
int run_plan(const CompareOptions& options, const std::vector<CompareCase>& plan,
             const std::vector<std::string>& notes, const std::vector<BackendInfo>& backends) {
  ProgressBar progress(options.show_progress, plan.size());
  const bool chooses_iterations = options.has_benchmark_flag("benchmark_min_time");
  const TimeBudget budget(chooses_iterations ? unlimited_seconds : options.seconds, plan.size());
  CompareRunner runner(plan, backends, progress, budget);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    benchmark::RegisterBenchmark(benchmark_name(plan[i]).c_str(), [&runner,
                                                                   i](benchmark::State& state) {
      runner.run(i, state);
    })->UseManualTime();
  }
  TableReporter table(plan, backends, notes, progress);
  const bool is_table = !options.has_benchmark_flag("benchmark_format") &&
                        !options.has_benchmark_flag("benchmark_list_tests");
  benchmark::RunSpecifiedBenchmarks(is_table ? &table : nullptr);
  progress.hide();
  if (is_table) {
    std::cout << '\n';
    print_ratios(std::cout, table.results(), plan, table.axes());
    std::printf("\n%zu rows in %.0f s, ", table.results().size(), budget.elapsed());
    if (runner.num_failures() == 0) std::printf("every result verified\n");
    if (runner.num_failures() != 0) std::printf("%zu FAILED\n", runner.num_failures());
  }
  return runner.num_failures() == 0 ? 0 : 1;
}

int compare(const CompareOptions& options) {
  std::shared_ptr<const KeyFile> file;
  if (options.keys) file = std::make_shared<const KeyFile>(*options.keys);
  Arguments kokkos_arguments(kokkos_flags(options));
  const Kokkos::ScopeGuard kokkos(kokkos_arguments.count(), kokkos_arguments.values());
  const auto backends = describe_backends();
  const auto plan = plan_cases(options, backends, file);
  const auto notes = left_out_lines(options, backends, file);

  const PlotFile plot(options.plot_path, options.json_path);
  Arguments arguments(benchmark_arguments(options, plot.json_path()));
  add_context(backends);
  benchmark::Initialize(&arguments.count(), arguments.values());
  const int exit_code = run_plan(options, plan, notes, backends);
  benchmark::Shutdown();
  plot.draw();
  return exit_code;
}

}  // namespace
}  // namespace hashmill::perf

int main(int argc, char** argv) {
  try {
    const auto options = hashmill::perf::parse_compare_options(argc, argv);
    return options ? hashmill::perf::compare(*options) : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hashmill-compare: %s\n", error.what());
    return 1;
  }
}
