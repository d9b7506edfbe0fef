#pragma once

#include <hashmill/join/detail/order_runs.hpp>
#include <hashmill/partition/detail/radix_sort_pairs.hpp>

namespace hashmill::detail {

/// Puts `count` pairs, each with a left row, in the order of their left rows and then of their
/// right rows. Waits for `exec` only for what it must know to go on.
///
/// A run is the pairs of one left row. `in_left_order` says that the left rows are in order
/// already, as those of a look-up are. The steps:
///
///     1  if the left rows are not in order, sort all pairs by left row, in passes
///     2  sort the right rows of each run in place, one thread per run
///     3  if a run out of order is too long for one thread (more than 1024 pairs on GPUs, 65536 on
///        CPUs), sort all pairs by right row and then by left row, in passes
///
/// A pass moves 24 bytes per pair with 32-bit rows (RadixSortPairs). Step 1 takes three passes for
/// 2^25 left rows on a CPU, four on a GPU. Step 2 reads every row once, and writes the right rows
/// that move.
///
/// Temporary memory, from `workspace`: none if there are no passes, else one to two times the
/// pairs. Throws CapacityError if it does not suffice.
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
