#pragma once

#include <hashmill/distributed_hash_graph.hpp>
#include <hashmill/intersect.hpp>

namespace hashmill {

namespace detail {

/// Throws InvalidArgument, on all ranks, unless two tables have the same splits.
template <class Table>
void require_same_splits(CollectiveCall& call, const Table& left, const Table& right) {
  call.step("compare splits", [&] {
    if (left.splits() == right.splits()) return;
    throw InvalidArgument(
        "intersect: the tables have different splits; build the second with `options_like` of the "
        "first");
  });
  call.agree("agree on splits");
}

}  // namespace detail

/// The number of pairs of a row of `left` and one of `right` with equal keys, on all ranks
/// together. Collective. No keys are sent: both tables have the same splits, and each rank
/// intersects its own shares ("Probe-New", Green 2019). Throws InvalidArgument where the splits
/// differ.
template <backends::ExecutionSpace Exec, class Key, class MemorySpace, class Hash>
[[nodiscard]] std::uint64_t intersect_count(
    const Exec& exec, const DistributedHashGraph<Key, MemorySpace, Hash>& left,
    const DistributedHashGraph<Key, MemorySpace, Hash>& right) {
  detail::CollectiveCall call(left.ranks(), "intersect_count",
                              murmur3_fmix64(left.signature()) + right.signature());
  detail::require_same_splits(call, left, right);
  std::uint64_t pairs = 0;
  call.step("intersect", [&] { pairs = intersect_count(exec, left.local(), right.local()); });
  return call.agree_on_sum(pairs, "agree on results");
}

/// This rank's share of these pairs, as global rows. Otherwise as `intersect_count`.
template <backends::ExecutionSpace Exec, class Key, class MemorySpace, class Hash>
[[nodiscard]] RowPairs<GlobalRow, GlobalRow, MemorySpace> intersect(
    const Exec& exec, const DistributedHashGraph<Key, MemorySpace, Hash>& left,
    const DistributedHashGraph<Key, MemorySpace, Hash>& right) {
  using Rows = Kokkos::View<GlobalRow*, MemorySpace>;
  detail::CollectiveCall call(left.ranks(), "intersect",
                              murmur3_fmix64(left.signature()) + right.signature());
  detail::require_same_splits(call, left, right);
  RowPairs<GlobalRow, GlobalRow, MemorySpace> result;
  call.step("intersect", [&] {
    const auto pairs = intersect(exec, left.local(), right.local());
    const auto write = [&](const auto& origins, const auto& rows) {
      const auto out = backends::allocate<Rows>(exec, "hashmill::intersect::rows", rows.extent(0));
      backends::for_each_index(
          "hashmill::distributed_hash_graph::origins", exec, rows.extent(0),
          detail::WriteOrigins<std::decay_t<decltype(origins)>, std::decay_t<decltype(rows)>, Rows>{
              origins, rows, out});
      return out;
    };
    result = {write(left.origins(), pairs.left), write(right.origins(), pairs.right)};
    exec.fence("hashmill: pairs are handed to the caller");
  });
  call.agree("agree on results");
  return result;
}

}  // namespace hashmill
