#include "join_plan.hpp"

#include <algorithm>
#include <cmath>

#include "keys/tpch_orders.hpp"
#include "plan/swept_axis.hpp"

namespace hashmill::perf {
namespace {

/// Rows of the left side; as many as check_input refuses where they are more than that can number.
std::uint64_t rows_of_s(double ratio, const DataAxes& right) {
  if (right.order == KeyOrder::tpch) {
    const TpchOrders<std::uint64_t> orders(right.num_keys, right.seed);
    return num_order_lines(Kokkos::DefaultExecutionSpace(), orders, {0, right.num_keys});
  }
  constexpr double too_many = 0x1.0p62;
  const double rows = std::min(ratio * static_cast<double>(right.num_keys), too_many);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(rows)));
}

std::vector<WorkloadAxes> combine(const JoinCommandOptions& options, std::uint64_t num_rows) {
  std::vector<WorkloadAxes> all;
  for (DataAxes data : combine_keys(options, num_rows)) {
    for (const double ratio : options.ratios) {
      data.num_queries = rows_of_s(ratio, data);
      for (const double multiplicity : options.multiplicities) {
        data.multiplicity = multiplicity;
        for (const double hit_rate : options.hit_rates) {
          data.hit_rate = hit_rate;
          for (const JoinKind kind : options.kinds) {
            for (const JoinOutput output : options.outputs) {
              for (const MemoryLimit& budget : options.budget.limits())
                all.push_back({data, {.output = output, .kind = kind, .budget = budget}});
            }
          }
        }
      }
    }
  }
  return all;
}

const std::vector<SweptAxis<JoinCommandOptions>>& all_sweeps() {
  static const std::vector<SweptAxis<JoinCommandOptions>> sweeps = {
      {"hit-rate", &JoinCommandOptions::hit_rates, {0, 0.25, 0.5, 0.75, 1}},
      {"zipf", &JoinCommandOptions::skews, swept_skews()},
      {"multiplicity", &JoinCommandOptions::multiplicities, {1, 2, 4, 8, 16, 32}},
      {"ratio", &JoinCommandOptions::ratios, {1, 2, 4, 8, 16}},
  };
  return sweeps;
}

}  // namespace

std::vector<std::string> join_sweep_names() { return names_of(all_sweeps()); }

void apply_join_sweep(const std::string& name, bool keeps_values, JoinCommandOptions& options) {
  axis_called(name, all_sweeps()).apply(keeps_values, options);
}

Plan plan_joins(const JoinCommandOptions& options, const std::vector<BackendInfo>& backends) {
  return plan_workload(options, backends,
                       [&](std::uint64_t num_rows) { return combine(options, num_rows); });
}

}  // namespace hashmill::perf
