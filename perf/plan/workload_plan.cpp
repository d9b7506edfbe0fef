#include "workload_plan.hpp"

#include <algorithm>

#include "backend_choice.hpp"
#include "plan_sizes.hpp"
#include "planner.hpp"

namespace hashmill::perf {
namespace {

// Two that leave a processor's caches and end within minutes on two cores, and one that fills a
// GPU.
const DefaultSizes default_sizes = {{small_size, std::uint64_t{1} << 24}, {device_size}};

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

std::vector<double> swept_skews() { return {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5}; }

Plan plan_workload(const WorkloadOptions& options, const std::vector<BackendInfo>& backends,
                   const CombineAxes& combine) {
  const auto chosen = choose_backends(options.backends, backends);
  std::vector<std::uint64_t> asked = options.num_rows;
  std::ranges::sort(asked);
  const PlanSizes sizes(asked, default_sizes, options.one_default_size, chosen);
  Planner planner({.algorithms = options.algorithms, .backends = chosen});
  for (const std::uint64_t num_rows : sizes.all()) {
    const auto has_size = [&](const Algorithm&, const BackendInfo& backend) {
      return sizes.include(backend, num_rows);
    };
    for (const WorkloadAxes& axes : combine(num_rows))
      planner.add(axes.data, axes.result, has_size);
  }
  return planner.finish();
}

}  // namespace hashmill::perf
