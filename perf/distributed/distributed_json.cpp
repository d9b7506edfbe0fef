#include "distributed_report.hpp"
#include "report/json_file.hpp"

namespace hashmill::perf {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

/// The row of a result, the same in each run of the program.
std::string row_name(const RankResult& result) {
  std::string name = result.operation + "/" + result.name;
  if (!result.keys.empty()) name += "/" + result.keys;
  name += "/ranks:" + std::to_string(result.num_ranks);
  if (result.rows == 0) return name + "/bytes_per_rank:" + std::to_string(result.bytes_per_rank);
  return name + "/rows_per_rank:" + std::to_string(result.rows);
}

Run run_of(const RankResult& result, double seconds) {
  Run run;
  run.run_name.function_name = row_name(result);
  run.family_index = run.per_family_instance_index = 0;
  run.repetitions = static_cast<std::int64_t>(result.seconds.size());
  run.repetition_index = 0;
  run.statistics = nullptr;
  run.report_label =
      result.operation + " | " + result.name + " | " + result.keys + " | " + result.plan;
  run.time_unit = benchmark::kMillisecond;
  run.real_accumulated_time = run.cpu_accumulated_time = seconds;
  run.counters["ranks"] = result.num_ranks;
  run.counters["bytes_per_rank"] = static_cast<double>(result.bytes_per_rank);
  run.counters["rows_per_rank"] = static_cast<double>(result.rows);
  run.counters["bytes_sent"] = static_cast<double>(result.bytes_sent);
  run.counters["GB_per_second"] = 1e-9 * static_cast<double>(result.bytes_sent) / seconds;
  run.counters["Mrows_per_second_per_rank"] = 1e-6 * static_cast<double>(result.rows) / seconds;
  run.counters["is_link"] = result.is_link ? 1 : 0;
  run.counters["wrong_values"] = static_cast<double>(result.num_wrong);
  return run;
}

Run median_of(const RankResult& result) {
  Run run = run_of(result, result.median_seconds());
  run.run_type = Run::RT_Aggregate;
  run.repetition_index = Run::no_repetition_index;
  run.aggregate_name = "median";
  if (result.ratio != 0) run.counters["ratio"] = result.ratio;
  if (result.scaling != 0) run.counters["scaling"] = result.scaling;
  for (std::size_t p = 0; result.phases && p < num_run_phases; ++p) {
    const std::string phase = name_of(static_cast<RunPhase>(p));
    run.counters["seconds of " + phase] = (*result.phases)[p];
  }
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
  std::vector<std::vector<Run>> rows;
  for (const RankResult& result : results) rows.push_back(runs_of(result));
  write_json_file(path, "distributed", rows);
}

}  // namespace hashmill::perf
