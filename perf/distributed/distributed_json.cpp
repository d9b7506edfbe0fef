#include <benchmark/benchmark.h>

#include <fstream>
#include <hashmill/commit.hpp>
#include <hashmill/error.hpp>
#include <hashmill/version.hpp>

#include "distributed_report.hpp"

namespace hashmill::perf {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

Run run_of(const RankResult& result, double seconds) {
  Run run;
  run.run_name.function_name = result.operation + "/" + result.name +
                               "/bytes_per_rank:" + std::to_string(result.bytes_per_rank);
  run.family_index = run.per_family_instance_index = 0;
  run.repetitions = static_cast<std::int64_t>(result.seconds.size());
  run.repetition_index = 0;
  run.statistics = nullptr;
  run.time_unit = benchmark::kMillisecond;
  run.real_accumulated_time = run.cpu_accumulated_time = seconds;
  run.counters["ranks"] = result.num_ranks;
  run.counters["bytes_per_rank"] = static_cast<double>(result.bytes_per_rank);
  run.counters["bytes_sent"] = static_cast<double>(result.bytes_sent);
  run.counters["GB_per_second"] = 1e-9 * static_cast<double>(result.bytes_sent) / seconds;
  run.counters["wrong_values"] = static_cast<double>(result.num_wrong);
  return run;
}

Run median_of(const RankResult& result) {
  Run run = run_of(result, result.median_seconds());
  run.run_type = Run::RT_Aggregate;
  run.repetition_index = Run::no_repetition_index;
  run.aggregate_name = "median";
  if (result.ratio != 0) run.counters["ratio"] = result.ratio;
  return run;
}

/// The runs of a result, and their median.
std::vector<Run> runs_of(const RankResult& result) {
  std::vector<Run> runs;
  for (const double seconds : result.seconds) {
    runs.push_back(run_of(result, seconds));
    runs.back().repetition_index = static_cast<std::int64_t>(runs.size()) - 1;
  }
  runs.push_back(median_of(result));
  return runs;
}

}  // namespace

void write_json(const std::string& path, const std::vector<RankResult>& results) {
  std::ofstream file(path);
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&file);
  reporter.SetErrorStream(&file);
  benchmark::AddCustomContext("hashmill_version", HASHMILL_VERSION_STRING);
  benchmark::AddCustomContext("hashmill_git_hash", HASHMILL_GIT_HASH);
  reporter.ReportContext({});
  for (const RankResult& result : results) reporter.ReportRuns(runs_of(result));
  reporter.Finalize();
  file.close();
  if (!file) throw InvalidArgument("--json: cannot write " + path);
}

}  // namespace hashmill::perf
