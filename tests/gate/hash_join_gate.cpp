// Instantiates hash joins for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/hash_join.hpp>

namespace hashmill::gate {

using Exec = Kokkos::Cuda;
using Memory = Kokkos::CudaSpace;

struct RowsDiffer {
  KOKKOS_FUNCTION bool operator()(std::uint64_t left, std::uint64_t right) const {
    return left != right;
  }
};

template <JoinStrategy Strategy>
void join_by() {
  const Exec exec;
  const Kokkos::View<const std::uint32_t*, Memory> keys;
  (void)hash_join(exec, JoinKind::inner, keys, keys, EveryPair{}, HashJoinOptions<Strategy>{});
}
template void join_by<JoinStrategy::intersect>();
template void join_by<JoinStrategy::unique_keys>();
template void join_by<JoinStrategy::tag_bucket>();

void numbers() {
  const Exec exec;
  const Kokkos::View<const std::uint32_t*, Memory> keys;
  Workspace<Memory> workspace;
  (void)hash_join(exec, JoinKind::full, keys, keys);
  (void)hash_join_size(exec, JoinKind::inner, keys, keys, EveryPair{}, {}, workspace);
}

void columns_with_condition() {
  const Exec exec;
  const Kokkos::View<double*, Memory> values;
  const Kokkos::View<std::int64_t*, Memory> ids;
  const auto keys = columns(column(values, Validity()), ids).nans_unequal();
  (void)hash_join<std::uint64_t>(exec, JoinKind::left, keys, keys, RowsDiffer{});
}

}  // namespace hashmill::gate
