#include "group_by_plan.hpp"

#include <algorithm>
#include <hashmill/error.hpp>
#include <set>

#include "plan/swept_axis.hpp"

namespace hashmill::perf {
namespace {

/// The numbers of groups that were asked for, or those of the default or of a sweep, as far as
/// there are so many rows. Within limited memory only the last of the default.
std::vector<std::uint64_t> group_counts(const GroupByOptions& options, std::uint64_t num_rows) {
  for (const std::uint64_t groups : options.num_groups) {
    if (groups <= num_rows) continue;
    throw InvalidArgument("--groups: " + std::to_string(groups) + " groups of " +
                          std::to_string(num_rows) + " rows (--n)");
  }
  if (!options.num_groups.empty()) return options.num_groups;
  std::set<std::uint64_t> counts = {std::max<std::uint64_t>(1, num_rows / 2)};
  if (!options.many_defaults && !options.budget) {
    for (const std::uint64_t groups :
         {std::uint64_t{1} << 2, std::uint64_t{1} << 10, std::uint64_t{1} << 20}) {
      if (groups < num_rows / 2) counts.insert(groups);
    }
  }
  for (std::uint64_t groups = 2; options.many_defaults && groups < num_rows / 2; groups *= 8)
    counts.insert(groups);
  return {counts.begin(), counts.end()};
}

std::vector<WorkloadAxes> combine(const GroupByOptions& options, std::uint64_t num_rows) {
  std::vector<WorkloadAxes> all;
  for (DataAxes data : combine_keys(options, num_rows)) {
    for (const std::uint64_t groups : group_counts(options, num_rows)) {
      data.num_groups = groups;
      for (const Aggregates aggregates : options.aggregates) {
        for (const MemoryLimit& budget : options.budget.limits())
          all.push_back({data, {.aggregates = aggregates, .budget = budget}});
      }
    }
  }
  return all;
}

const std::vector<SweptAxis<GroupByOptions>>& all_sweeps() {
  static const std::vector<SweptAxis<GroupByOptions>> sweeps = {
      {"groups", nullptr, {}},  // many of them, which depend on the number of rows
      {"zipf", &GroupByOptions::skews, swept_skews()},
  };
  return sweeps;
}

}  // namespace

std::vector<std::string> group_by_sweep_names() { return names_of(all_sweeps()); }

void apply_group_by_sweep(const std::string& name, bool keeps_values, GroupByOptions& options) {
  const auto& sweep = axis_called(name, all_sweeps());
  options.many_defaults = sweep.axis == nullptr;
  sweep.apply(keeps_values || options.many_defaults, options);
}

Plan plan_group_bys(const GroupByOptions& options, const std::vector<BackendInfo>& backends) {
  return plan_workload(options, backends,
                       [&](std::uint64_t num_rows) { return combine(options, num_rows); });
}

}  // namespace hashmill::perf
