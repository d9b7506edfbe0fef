// Instantiates joins within a memory budget for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
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

void call_hybrid_joins(const Kokkos::Cuda& exec) {
  const Kokkos::View<std::uint64_t*, Memory> keys("keys", 1);
  const OwnedColumn<double, Memory> nullable;
  const OwnedStrings<Memory> strings;
  join_within_a_budget(exec, join_side<0>(keys, keys));
  join_within_a_budget(exec, join_side<0, 1>(strings.column(), column(keys), nullable.column()));
}

}  // namespace hashmill::gate
