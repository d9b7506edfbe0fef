#pragma once

#include <hashmill/join/detail/order_runs.hpp>
#include <hashmill/partition/detail/radix_sort_pairs.hpp>

namespace hashmill::detail {

/// Puts `count` pairs, each with a left row, in the order of their left rows and, of one left row,
/// of their right rows; asynchronous but for what it must know to go on.
///
/// `in_left_order` says that the left rows are in order already, as those of a look-up are. Then
/// only the right rows of each run are sorted, in place, by one thread a run: every left row is
/// read once and every right row read, and written where it moves. Otherwise the pairs are sorted
/// by their left rows before, in passes of 24 bytes a pair with rows of 32 bits (RadixSortPairs):
/// three for 2^25 left rows on a CPU, four on a GPU. Where a left row has more pairs than a thread
/// should sort alone (1024 on GPUs, 65536 on CPUs), and they are not in order, all pairs are sorted
/// by right and then left rows in such passes.
///
/// Temporary memory, of `workspace`: none, or one to two times the pairs where they are sorted in
/// passes. Throws CapacityError when it is short.
template <class Exec, class Row, class MemorySpace>
void order_pairs(const Exec& exec, Row* left, Row* right, std::uint64_t count, bool in_left_order,
                 Workspace<MemorySpace>& workspace) {
  if (count < 2) return;
  using Sort = RadixSortPairs<Exec, Row, MemorySpace>;
  Kokkos::Profiling::ScopedRegion region("hashmill::order_pairs");
  if (!in_left_order) {
    Sort by_left(exec, left, right, count, workspace);
    by_left.add(false);
    by_left.sort();
  }
  if (order_runs(exec, left, right, count) == 0) return;
  std::uint64_t descents = 0;
  Kokkos::parallel_reduce("hashmill::join::descents", backends::range(exec, count - 1),
                          CountDescents<Row>{left, right}, descents);
  if (descents == 0) return;
  Sort by_both(exec, left, right, count, workspace);
  by_both.add(true);
  by_both.add(false);
  by_both.sort();
}

}  // namespace hashmill::detail
