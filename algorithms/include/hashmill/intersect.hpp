#pragma once

#include <hashmill/csr.hpp>
#include <hashmill/detail/intersect_entries.hpp>
#include <hashmill/hash_graph.hpp>

namespace hashmill {

/// Number of pairs (row of a, row of b) with equal keys; on `exec`, which it fences.
///
/// "Probe-New" of Green 2019 (algorithm 4): both inputs are tables over one hash range, so equal
/// keys meet in the bucket of the same number and the tables are read from front to back, where a
/// look-up table is read at random. It pays when both tables are there or keys repeat. Reads both
/// tables once; compares the entries of a bucket pairwise. Throws InvalidArgument when the hash
/// ranges or hash functions differ.
template <backends::ExecutionSpace Exec, class TableA, class TableB>
[[nodiscard]] std::uint64_t intersect_count(const Exec& exec, const TableA& a, const TableB& b) {
  static_assert(std::is_same_v<typename TableA::key_type, typename TableB::key_type>,
                "hashmill::intersect_count: the tables must have the same key type");
  detail::require_accessible_table<Exec, typename TableA::memory_space>();
  detail::require_accessible_table<Exec, typename TableB::memory_space>();
  Kokkos::Profiling::ScopedRegion region("hashmill::intersect_count");
  detail::check_same_hash_range("intersect_count", a, b);
  using Work = detail::IntersectEntries<typename TableA::ref_type, typename TableB::ref_type>;
  return detail::total_of_items("hashmill::intersect::count", exec, Work{a.ref(), b.ref()},
                                a.num_positions());
}

/// The pairs that `intersect_count` counts, in no specified order; on `exec`, which it fences.
/// Reads both tables twice to size the result exactly. Both layouts must have rows. Throws as
/// `intersect_count`, and CapacityError when the result does not fit memory.
template <backends::ExecutionSpace Exec, class TableA, class TableB>
[[nodiscard]] auto intersect(const Exec& exec, const TableA& a, const TableB& b) {
  using Memory = typename TableA::memory_space;
  static_assert(std::is_same_v<typename TableA::key_type, typename TableB::key_type>,
                "hashmill::intersect: the tables must have the same key type");
  detail::require_accessible_table<Exec, typename TableA::memory_space>();
  detail::require_accessible_table<Exec, typename TableB::memory_space>();
  Kokkos::Profiling::ScopedRegion region("hashmill::intersect");
  detail::check_same_hash_range("intersect", a, b);
  using Work = detail::IntersectEntries<typename TableA::ref_type, typename TableB::ref_type>;
  RowPairs<typename TableA::row_type, typename TableB::row_type, Memory> pairs;
  Work work{a.ref(), b.ref()};
  Workspace<Memory> workspace;
  const auto placed = detail::place_item_tiles("hashmill::intersect::size", exec, work,
                                               a.num_positions(), workspace);
  pairs.left =
      backends::allocate<decltype(pairs.left)>(exec, "hashmill::intersect::left", placed.total);
  pairs.right =
      backends::allocate<decltype(pairs.right)>(exec, "hashmill::intersect::right", placed.total);
  work.left = pairs.left.data();
  work.right = pairs.right.data();
  detail::fill_item_tiles("hashmill::intersect::fill", exec, work, a.num_positions(), placed);
  exec.fence("hashmill::intersect: results are handed to the caller");
  return pairs;
}

}  // namespace hashmill
