#include "workload_plan.hpp"

#include <algorithm>
#include <set>

#include "backend_choice.hpp"
#include "case/row_limit.hpp"
#include "plan_builder.hpp"

namespace hashmill::perf {
namespace {

// Default sizes: two that leave a processor's caches and end within minutes on two cores, and one
// that fills a GPU.
constexpr std::uint64_t small_host = std::uint64_t{1} << 22;
constexpr std::uint64_t large_host = std::uint64_t{1} << 24;
constexpr std::uint64_t device = std::uint64_t{1} << 27;

std::vector<std::uint64_t> sizes_of(const WorkloadOptions& options, const BackendInfo& backend) {
  if (!options.num_rows.empty()) return options.num_rows;
  if (!backend.is_host) return {device};
  if (options.one_default_size) return {small_host};
  return {small_host, large_host};
}

}  // namespace

std::vector<DataAxes> combine_keys(const WorkloadOptions& options, std::uint64_t num_rows) {
  std::vector<DataAxes> all;
  for (const unsigned bits : options.key_bits) {
    for (const KeyOrder order : options.orders) {
      for (const double skew : options.skews) {
        DataAxes data;
        data.key_bits = bits;
        data.num_keys = num_rows;
        data.order = order;
        data.skew = skew;
        data.seed = options.seed;
        for (const KeyColumns columns : options.columns) {
          data.columns = columns;
          all.push_back(data);
        }
      }
    }
  }
  return all;
}

Plan plan_workload(const WorkloadOptions& options, const std::vector<BackendInfo>& backends,
                   const CombineAxes& combine) {
  const auto chosen = choose_backends(options.backends, backends);
  std::set<std::uint64_t> all_sizes;
  for (const BackendInfo& backend : chosen) {
    for (const std::uint64_t size : sizes_of(options, backend)) all_sizes.insert(size);
  }
  PlanBuilder plan;
  for (const std::uint64_t num_rows : all_sizes) {
    for (const WorkloadAxes& axes : combine(num_rows)) {
      check_sides(axes.data);
      for (const Algorithm* const algorithm : options.algorithms) {
        for (const BackendInfo& backend : chosen) {
          const auto sizes = sizes_of(options, backend);
          if (!runs_here(*algorithm, backend) || std::ranges::find(sizes, num_rows) == sizes.end())
            continue;
          plan.add({algorithm, backend.name, axes.data, {}, axes.result});
        }
      }
    }
  }
  return plan.finish();
}

}  // namespace hashmill::perf
