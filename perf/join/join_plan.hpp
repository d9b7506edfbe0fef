#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "budget/budget_options.hpp"
#include "plan/workload_plan.hpp"

namespace hashmill::perf {

/// What `hashmill-compare join` was asked for.
struct JoinCommandOptions : WorkloadOptions {
  std::vector<double> multiplicities = {1};  ///< right rows per key, or their mean
  std::vector<double> hit_rates = {1.0};     ///< share of the left rows that have partners
  std::vector<double> ratios = {1.0};        ///< left rows per right row
  std::vector<JoinKind> kinds = {JoinKind::inner};
  std::vector<JoinOutput> outputs = {JoinOutput::rows, JoinOutput::count, JoinOutput::values_4};
  BudgetOptions budget;
};

/// The axes that --sweep takes.
std::vector<std::string> join_sweep_names();

/// Gives the axis that `name` stands for the values of a sweep unless `keeps_values`, and one size
/// a backend.
void apply_join_sweep(const std::string& name, bool keeps_values, JoinCommandOptions& options);

/// The joins to run; throws as plan_workload.
Plan plan_joins(const JoinCommandOptions& options, const std::vector<BackendInfo>& backends);

}  // namespace hashmill::perf
