#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "case/compare_case.hpp"
#include "case/compare_result.hpp"
#include "case/workload.hpp"
#include "machine/backend_info.hpp"
#include "run/progress_bar.hpp"
#include "table_columns.hpp"

namespace hashmill::perf {

/// Prints a line for every row of a plan as soon as its repetitions are done, in aligned columns,
/// and keeps the results for the summary.
class TableReporter : public benchmark::BenchmarkReporter {
 public:
  /// The arguments must outlive the reporter.
  TableReporter(const Workload& workload, const Plan& plan,
                const std::vector<BackendInfo>& backends, ProgressBar& progress);

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;

  /// Results so far, in the order they were printed.
  const std::vector<CompareResult>& results() const { return results_; }

  /// The axes as the table shows them.
  const TableAxesView& axes() const { return axes_; }

 private:
  void print_heading();
  bool starts_group(const CompareCase& before, const CompareCase& row) const;
  void print_row(std::size_t index, const CompareResult& result);

  const Workload& workload_;
  const std::vector<CompareCase>& plan_;
  const std::vector<BackendInfo>& backends_;
  const std::vector<std::string>& notes_;
  ProgressBar& progress_;
  TableAxesView axes_;
  bool has_groups_;
  std::unordered_map<std::string, std::size_t> index_of_name_;
  std::vector<CompareResult> results_;
  bool is_terminal_;
};

}  // namespace hashmill::perf
