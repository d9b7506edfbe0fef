// Instantiates joins and group-bys within a memory budget for a GPU; compiled, never run. See
// CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/hybrid_hash_aggregation.hpp>
#include <hashmill/hybrid_hash_join.hpp>

namespace hashmill::gate {

using Memory = Kokkos::CudaSpace;

template <class Side>
void join_within_a_budget(const Kokkos::Cuda& exec, const Side& side) {
  const auto use = [](const auto&) {};
  HybridHashJoinOptions options;
  options.budget = resolved<Memory>({.device = 1 << 30});
  auto join = hybrid_hash_join(exec, HybridJoinKind::full, side, side, options);
  join.add_right(exec, side);
  join.finish_right(exec);
  join.add_left(exec, side, use);
  join.finish_left(exec, use);
  static_cast<void>(join.statistics());
}

template <class Keys, class... Aggregations>
void group_within_a_budget(const Kokkos::Cuda& exec, const Keys& keys,
                           const Aggregations&... aggregations) {
  HybridAggregationOptions options;
  options.budget = resolved<Memory>({.device = 1 << 30});
  auto groups = hybrid_hash_aggregation(exec, keys, options, aggregations...);
  groups.add(exec, keys, aggregations...);
  groups.finish(exec, [](const auto&) {});
  static_cast<void>(groups.statistics());
}

void call_hybrid_group_bys(const Kokkos::Cuda& exec) {
  const Kokkos::View<std::uint64_t*, Memory> keys("keys", 1);
  const OwnedColumn<double, Memory> nullable;
  const OwnedStrings<Memory> strings;
  group_within_a_budget(exec, keys, agg::sum(keys));
  group_within_a_budget(exec, columns(strings.column(), column(keys)),
                        agg::variance(nullable.column()), agg::first(keys), agg::count());
}

void call_hybrid_joins(const Kokkos::Cuda& exec) {
  const Kokkos::View<std::uint64_t*, Memory> keys("keys", 1);
  const OwnedColumn<double, Memory> nullable;
  const OwnedStrings<Memory> strings;
  join_within_a_budget(exec, join_side<0>(keys, keys));
  join_within_a_budget(exec, join_side<0, 1>(strings.column(), column(keys), nullable.column()));
}

}  // namespace hashmill::gate
