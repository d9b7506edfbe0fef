#include "group_by_plan.hpp"

#include <algorithm>
#include <hashmill/error.hpp>
#include <set>

namespace hashmill::perf {
namespace {

/// The numbers of groups that were asked for, or those of the default or of a sweep, as far as
/// there are so many rows.
std::vector<std::uint64_t> group_counts(const GroupByOptions& options, std::uint64_t num_rows) {
  for (const std::uint64_t groups : options.num_groups) {
    if (groups <= num_rows) continue;
    throw InvalidArgument("--groups: " + std::to_string(groups) + " groups of " +
                          std::to_string(num_rows) + " rows (--n)");
  }
  if (!options.num_groups.empty()) return options.num_groups;
  std::set<std::uint64_t> counts = {std::max<std::uint64_t>(1, num_rows / 2)};
  if (!options.many_defaults) {
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
      for (const Aggregates aggregates : options.aggregates)
        all.push_back({data, {.aggregates = aggregates}});
    }
  }
  return all;
}

}  // namespace

std::vector<std::string> group_by_sweep_names() { return {"groups", "zipf"}; }

void apply_group_by_sweep(const std::string& name, bool keeps_values, GroupByOptions& options) {
  const auto names = group_by_sweep_names();
  if (std::ranges::find(names, name) == names.end())
    throw InvalidArgument("--sweep: there is no '" + name + "'");
  options.one_default_size = true;
  if (name == "groups") options.many_defaults = true;
  if (name != "zipf") return;
  if (!keeps_values) options.skews = {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5};
}

Plan plan_group_bys(const GroupByOptions& options, const std::vector<BackendInfo>& backends) {
  return plan_workload(options, backends,
                       [&](std::uint64_t num_rows) { return combine(options, num_rows); });
}

}  // namespace hashmill::perf
