// Instantiates hash joins for a GPU; compiled, never run. See CMakeLists.txt.

#include <Kokkos_Core.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/join_filter.hpp>

namespace hashmill::gate {

using Exec = Kokkos::Cuda;
using Memory = Kokkos::CudaSpace;

struct RowsDiffer {
  KOKKOS_FUNCTION bool operator()(std::uint64_t left, std::uint64_t right) const {
    return left != right;
  }
};

template <class Ref, class Keys>
struct AskFilter {
  Ref filter;
  Keys keys;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { (void)filter.may_contain(keys(i)); }
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
  (void)hash_join_peak_bytes(exec, JoinKind::inner, keys, keys, JoinSizes{1, 2, 3});
}

void columns_with_condition() {
  const Exec exec;
  const Kokkos::View<double*, Memory> values;
  const Kokkos::View<std::int64_t*, Memory> ids;
  const auto keys = columns(column(values, Validity()), ids).nans_unequal();
  (void)hash_join<std::uint64_t>(exec, JoinKind::left, keys, keys, RowsDiffer{});
}

template <class Keys>
void filter_by(const Keys& keys) {
  const Exec exec;
  Workspace<Memory> workspace;
  auto filter = join_filter(exec, keys);
  filter.merge(exec, join_filter(exec, keys));
  const auto rows = filter.select(exec, keys, workspace);
  filter.may_contain(exec, keys, Kokkos::View<bool*, Memory>("hashmill::gate::out", keys.size()));
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(exec, 0, rows.extent(0)),
                       AskFilter<decltype(filter.ref()), Keys>{filter.ref(), keys});
}

void filters() {
  const Kokkos::View<const std::int32_t*, Memory> ints;
  const Kokkos::View<double*, Memory> values;
  filter_by(ints);
  filter_by(values);
  filter_by(columns(ints));
  filter_by(columns(ints, values));
}

}  // namespace hashmill::gate
