#include "compression_report.hpp"
#include "report/json_file.hpp"

namespace hashmill::perf {
namespace {

using Run = benchmark::BenchmarkReporter::Run;

/// The medians of a result; its time is that of compressing.
Run median_of(const CompressionResult& result, double copied_bytes_per_second) {
  const std::string column = to_string(result.column), scheme(name(result.scheme));
  Run run;
  run.run_type = Run::RT_Aggregate;
  run.aggregate_name = "median";
  run.repetition_index = Run::no_repetition_index;
  run.run_name.function_name = "compress/" + column + "/" + result.backend + "/" + scheme;
  run.family_index = run.per_family_instance_index = 0;
  run.statistics = nullptr;
  run.report_label = column + " | " + result.backend + " | " + scheme;
  run.time_unit = benchmark::kMillisecond;
  run.real_accumulated_time = run.cpu_accumulated_time = result.encode_seconds;
  run.counters["value_bytes"] = static_cast<double>(result.value_bytes);
  run.counters["frame_bytes"] = static_cast<double>(result.frame_bytes);
  run.counters["encode_GB_per_second"] = 1e-9 * result.encoded_bytes_per_second();
  run.counters["decode_GB_per_second"] = 1e-9 * result.decoded_bytes_per_second();
  run.counters["copy_GB_per_second"] = 1e-9 * copied_bytes_per_second;
  run.counters["is_chosen"] = result.is_chosen ? 1 : 0;
  run.counters["wrong_values"] = static_cast<double>(result.num_wrong);
  return run;
}

}  // namespace

void write_json(const std::string& path, const std::vector<CompressionResult>& results,
                const std::vector<BackendInfo>& backends) {
  std::vector<std::vector<Run>> rows;
  for (const CompressionResult& result : results) {
    rows.push_back({median_of(result, copied_bytes_per_second(result, backends))});
  }
  write_json_file(path, "compress", rows);
}

}  // namespace hashmill::perf
