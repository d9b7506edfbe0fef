#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <hashmill/backends/memory_cache.hpp>
#include <hashmill/commit.hpp>
#include <hashmill/version.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "budget/budgeted_group_bys.hpp"
#include "budget/budgeted_joins.hpp"
#include "command_line.hpp"
#include "compression/run_compression.hpp"
#include "cpu/cpu_suite.hpp"
#include "distributed/run_distributed.hpp"
#include "group_by/group_by_suites.hpp"
#include "join/join_suites.hpp"
#include "machine/arithmetic.hpp"
#include "machine/backend_info.hpp"
#include "machine/numa_choice.hpp"
#include "plan/compare_plan.hpp"
#include "report/plot.hpp"
#include "report/ratio_summary.hpp"
#include "report/scaling_summary.hpp"
#include "report/table_reporter.hpp"
#include "run/compare_runner.hpp"
#include "run/progress_bar.hpp"
#include "run/time_budget.hpp"
#include "tables/bins_made.hpp"
#include "topology/topology_report.hpp"

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
std::vector<std::string> benchmark_arguments(const RunOptions& options,
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
std::vector<std::string> kokkos_flags(const std::vector<std::string>& flags) {
  std::vector<std::string> words = {"--kokkos-disable-warnings"};
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

void add_context(const std::vector<BackendInfo>& backends) {
  benchmark::AddCustomContext("hashmill_version", HASHMILL_VERSION_STRING);
  benchmark::AddCustomContext("hashmill_git_hash", HASHMILL_GIT_HASH);
  const backends::NumaPlan& plan = backends::numa_plan();
  benchmark::AddCustomContext("numa", to_string(plan.mode()));
  benchmark::AddCustomContext("numa_nodes", std::to_string(plan.num_nodes()));
  for (const BackendInfo& backend : backends) {
    benchmark::AddCustomContext(backend.name + "_device", backend.device);
    benchmark::AddCustomContext(backend.name + "_copy_GB_per_second",
                                std::to_string(backend.copy_bytes_per_second * 1e-9));
    benchmark::AddCustomContext(backend.name + "_random_Mreads_per_second",
                                std::to_string(backend.random_reads_per_second * 1e-6));
  }
}

using MakeSuites = std::vector<std::unique_ptr<Suite>> (*)();

/// The suites that several source files make.
std::vector<std::unique_ptr<Suite>> make_suites(std::initializer_list<MakeSuites> makers) {
  std::vector<std::unique_ptr<Suite>> all;
  for (const MakeSuites make : makers) {
    for (auto& suite : make()) all.push_back(std::move(suite));
  }
  return all;
}

/// What distinguishes the commands: what is shown, what can run, and what is planned.
const Workload& workload_of(const CompareOptions&) { return tables_workload; }
const Workload& workload_of(const JoinCommandOptions& options) {
  return options.budget ? budgeted_joins_workload : joins_workload;
}
const Workload& workload_of(const GroupByOptions& options) {
  return options.budget ? budgeted_group_bys_workload : group_bys_workload;
}
const Workload& workload_of(const CpuOptions&) { return cpu_workload; }

std::vector<std::unique_ptr<Suite>> suites_of(const CompareOptions&) {
  return make_suites({make_suites_32, make_suites_64, make_suites_128});
}
std::vector<std::unique_ptr<Suite>> suites_of(const JoinCommandOptions& options) {
  if (options.budget) return make_budgeted_join_suites(options.budget.directory);
  return make_suites({make_join_suites_32, make_join_suites_64, make_column_join_suites_32,
                      make_column_join_suites_64});
}
std::vector<std::unique_ptr<Suite>> suites_of(const GroupByOptions& options) {
  if (options.budget) return make_budgeted_group_by_suites(options.budget.directory);
  return make_suites({make_group_by_suites_32, make_group_by_suites_64,
                      make_column_group_by_suites_32, make_column_group_by_suites_64});
}

/// The suite of the host among those of one key type.
std::unique_ptr<Suite> host_suite(std::vector<std::unique_ptr<Suite>> suites) {
  const std::string host = Kokkos::DefaultHostExecutionSpace::name();
  return std::move(*std::ranges::find(suites, host, &Suite::backend));
}
std::vector<std::unique_ptr<Suite>> suites_of(const CpuOptions&) {
  std::vector<std::unique_ptr<Suite>> suites;
  const auto add = [&](MakeSuites tables, MakeSuites joins) {
    suites.push_back(std::make_unique<CpuSuite>(host_suite(tables()), host_suite(joins())));
  };
  add(make_suites_32, make_join_suites_32);
  add(make_suites_64, make_join_suites_64);
  return suites;
}

Plan plan_of(const CompareOptions& options, const std::vector<BackendInfo>& backends) {
  std::shared_ptr<const KeyFile> file;
  if (options.keys) file = std::make_shared<const KeyFile>(*options.keys);
  return plan_tables(options, backends, file);
}
Plan plan_of(const JoinCommandOptions& options, const std::vector<BackendInfo>& backends) {
  return plan_joins(options, backends);
}
Plan plan_of(const GroupByOptions& options, const std::vector<BackendInfo>& backends) {
  return plan_group_bys(options, backends);
}
Plan plan_of(const CpuOptions& options, const std::vector<BackendInfo>& backends) {
  return plan_cpu(options, backends);
}

/// Runs the plan; the exit code.
template <class Options>
int run_plan(const Options& options, std::vector<std::unique_ptr<Suite>> suites, const Plan& plan,
             const std::vector<BackendInfo>& backends) {
  const std::vector<CompareCase>& cases = plan.cases;
  ProgressBar progress(!options.no_progress, cases.size());
  const bool chooses_iterations = options.has_benchmark_flag("benchmark_min_time");
  const TimeBudget budget(chooses_iterations ? unlimited_seconds : options.seconds,
                          2 * cases.size());
  CompareRunner runner(workload_of(options), std::move(suites), cases, backends, progress,
                       options.repetitions, budget);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    benchmark::RegisterBenchmark(benchmark_name(cases[i]).c_str(), [&runner,
                                                                    i](benchmark::State& state) {
      runner.run(i, state);
    })->UseManualTime();
  }
  TableReporter table(workload_of(options), plan, backends, progress);
  const bool is_table = !options.has_benchmark_flag("benchmark_format") &&
                        !options.has_benchmark_flag("benchmark_list_tests");
  benchmark::RunSpecifiedBenchmarks(is_table ? &table : nullptr);
  progress.hide();
  if (is_table) {
    for (const RunMemory memory : {RunMemory::fresh, RunMemory::kept}) {
      if (memory == RunMemory::kept && !workload_of(options).keeps_memory) continue;
      std::cout << '\n';
      print_ratios(std::cout, table.results(), cases, table.axes(), memory);
    }
    print_scaling(std::cout, table.results(),
                  arithmetic_speedup<Kokkos::DefaultHostExecutionSpace>);
    std::printf("\n%zu rows in %.0f s, ", table.results().size(), budget.elapsed());
    if (runner.num_failures() == 0) std::printf("every result verified\n");
    if (runner.num_failures() != 0) std::printf("%zu FAILED\n", runner.num_failures());
  }
  return runner.num_failures() == 0 ? 0 : 1;
}

template <class Options>
int compare(const Options& options) {
  Arguments kokkos_arguments(kokkos_flags(options.kokkos_flags));
  const Kokkos::ScopeGuard kokkos(kokkos_arguments.count(), kokkos_arguments.values());
  const backends::ScopedNumaPlan numa(chosen_numa_plan(options.numa));
  const auto backends = describe_backends();
  auto suites = suites_of(options);
  const Plan plan = with_bins_made(plan_of(options, backends), [&](const CompareCase& row) {
    return suite_of(suites, row).planned_bins(row);
  });

  const PlotFile plot(options.plot_path, options.json_path);
  Arguments arguments(benchmark_arguments(options, plot.json_path()));
  add_context(backends);
  benchmark::Initialize(&arguments.count(), arguments.values());
  const int exit_code = run_plan(options, std::move(suites), plan, backends);
  benchmark::Shutdown();
  plot.draw();
  return exit_code;
}

/// Runs on the ranks of MPI; the exit code. Kokkos gives the ranks of a node its GPUs in turn, by
/// the numbers that their launcher sets in the environment.
int compare(const DistributedOptions& options) {
  Arguments kokkos_arguments(kokkos_flags(options.kokkos_flags));
  const Kokkos::ScopeGuard kokkos(kokkos_arguments.count(), kokkos_arguments.values());
  return run_distributed(options);
}

/// Times the compression of columns; the exit code.
int compare(const CompressionCommandOptions& options) {
  Arguments kokkos_arguments(kokkos_flags(options.run.kokkos_flags));
  const Kokkos::ScopeGuard kokkos(kokkos_arguments.count(), kokkos_arguments.values());
  return run_compression(options);
}

/// Shows the machine and the plan; the exit code.
int compare(const TopologyOptions& options) {
  Arguments kokkos_arguments(kokkos_flags(options.kokkos_flags));
  const Kokkos::ScopeGuard kokkos(kokkos_arguments.count(), kokkos_arguments.values());
  const bool is_this = options.machine.empty();
  const backends::Topology machine =
      is_this ? backends::machine_topology()
              : backends::synthetic_topology(options.machine, options.cpuset);
  const auto concurrency = static_cast<unsigned>(Kokkos::DefaultHostExecutionSpace().concurrency());
  const unsigned threads = options.threads.value_or(is_this ? concurrency : machine.num_threads());
  const backends::NumaPlan plan(machine, chosen_numa_mode(options.numa), threads);
  print_topology(std::cout, machine, plan, is_this ? read_host_settings() : HostSettings{},
                 options.num_records);
  return 0;
}

/// "New" memory is the system's, for us as for the others, unless the environment asks for a cache.
/// Rows of several ranks do not tell new memory from kept.
void choose_memory(const Command& command) {
  const bool is_kept = std::holds_alternative<DistributedOptions>(command);
  if (is_kept || std::getenv("HASHMILL_MEMORY_CACHE") != nullptr) return;
  set_memory_cache_limit<Kokkos::HostSpace>(0);
  set_memory_cache_limit<Kokkos::DefaultExecutionSpace::memory_space>(0);
}

}  // namespace
}  // namespace hashmill::perf

int main(int argc, char** argv) {
  using namespace hashmill::perf;
  try {
    const auto command = parse_command_line(argc, argv);
    if (!command) return 0;
    choose_memory(*command);
    return std::visit([](const auto& options) { return compare(options); }, *command);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hashmill-compare: %s\n", error.what());
    return 1;
  }
}
