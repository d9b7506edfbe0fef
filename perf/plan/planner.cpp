#include "planner.hpp"

#include <hashmill/error.hpp>
#include <utility>

#include "backend_choice.hpp"
#include "input_check.hpp"

namespace hashmill::perf {
namespace {

/// Why a row cannot be run, as the end of "<structure> is left out ..."; empty if it can.
std::string reason_to_leave_out(const CompareCase& row) {
  const Algorithm& algorithm = *row.algorithm;
  const TableLimits& limits = algorithm.limits;
  if (algorithm.axes.fill && row.table.fill > limits.fill)
    return "above fill " + plain_number(limits.fill);
  if (row.data.key_bits > limits.key_bits)
    return "above " + std::to_string(limits.key_bits) + "-bit keys";
  return algorithm.left_out ? algorithm.left_out(row) : std::string();
}

}  // namespace

void Planner::add(const DataAxes& data, const ResultAxes& result, const IsWanted& is_wanted) {
  check_input(data);
  for (const Algorithm* const algorithm : scope_.algorithms) {
    for (const TableAxes& table : scope_.tables) {
      for (const BackendInfo& backend : scope_.backends) {
        if (!runs_here(*algorithm, backend) || !is_wanted(*algorithm, backend)) continue;
        for (const unsigned threads : scope_.threads) {
          const bool is_serial = algorithm->runs_on == RunsOn::host_serial && threads != 0;
          add_row({algorithm, backend.name, data, table, result, is_serial ? 1 : threads});
        }
      }
    }
  }
}

void Planner::add_row(CompareCase row) {
  const std::string reason = reason_to_leave_out(row);
  if (reason.empty()) {
    if (seen_.insert(benchmark_name(row)).second) plan_.cases.push_back(std::move(row));
    return;
  }
  const std::string line = std::string(row.algorithm->structure) + " is left out" +
                           (reason.starts_with(':') ? "" : " ") + reason;
  if (seen_.insert(line).second) plan_.notes.push_back(line);
}

Plan Planner::finish() {
  if (!plan_.cases.empty()) return std::move(plan_);
  std::string reason = "--algorithm, --backend: nothing is left to run";
  for (const std::string& note : plan_.notes) reason += "; " + note;
  throw InvalidArgument(reason);
}

}  // namespace hashmill::perf
