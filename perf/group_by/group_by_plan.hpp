#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "budget/budget_options.hpp"
#include "plan/workload_plan.hpp"

namespace hashmill::perf {

/// What `hashmill-compare group-by` was asked for.
struct GroupByOptions : WorkloadOptions {
  std::vector<std::uint64_t> num_groups;  ///< empty: from 4 to half of the rows
  bool many_defaults = false;             ///< whether those are every power of 8
  std::vector<Aggregates> aggregates = {Aggregates::sum};
  BudgetOptions budget;
};

/// The axes that --sweep takes.
std::vector<std::string> group_by_sweep_names();

/// Gives the axis that `name` stands for the values of a sweep unless `keeps_values`, and one size
/// a backend.
void apply_group_by_sweep(const std::string& name, bool keeps_values, GroupByOptions& options);

/// The group-bys to run; throws as plan_workload, and `InvalidArgument` where there are more groups
/// than rows.
Plan plan_group_bys(const GroupByOptions& options, const std::vector<BackendInfo>& backends);

}  // namespace hashmill::perf
