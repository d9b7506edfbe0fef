#pragma once

#include <hashmill/csr.hpp>
#include <hashmill/hash_graph.hpp>
#include <hashmill/join/detail/intersect_plan.hpp>
#include <hashmill/join/detail/key_runs.hpp>
#include <hashmill/join/detail/write_joined.hpp>
#include <hashmill/primitives/detail/keys_as.hpp>

namespace hashmill {

/// Number of pairs (row of `left`, row of `right`) with equal keys; on `exec`, which it fences.
///
/// "Probe-New" of Green 2019 (algorithm 4): both inputs are tables over one hash range, so equal
/// keys meet in the bucket of the same number and the tables are read from front to back, where a
/// look-up table is read at random. It pays when both tables are there or keys repeat. Reads both
/// tables once; compares the entries of a bucket pairwise. Throws InvalidArgument when the hash
/// ranges or hash functions differ.
template <backends::ExecutionSpace Exec, class LeftTable, class RightTable>
[[nodiscard]] std::uint64_t intersect_count(const Exec& exec, const LeftTable& left,
                                            const RightTable& right) {
  static_assert(std::is_same_v<typename LeftTable::key_type, typename RightTable::key_type>,
                "hashmill::intersect_count: the tables must have the same key type");
  detail::require_accessible_table<Exec, typename LeftTable::memory_space>();
  detail::require_accessible_table<Exec, typename RightTable::memory_space>();
  Kokkos::Profiling::ScopedRegion region("hashmill::intersect_count");
  detail::check_same_hash_range("intersect_count", left, right);
  return detail::count_intersection(exec, left, right);
}

/// Number of pairs (query, row of the table) with equal keys, for queries that are in no table yet:
/// builds theirs on `exec`, with temporary memory of `workspace`, and intersects; fences `exec`.
///
/// Where equal queries follow each other (a sample tells: rows sorted or clustered by their key, as
/// line items are by their order), a run of them enters the table once, with its length, so that
/// the build and the intersection have at most half as much to do, for one more pass over the
/// queries. Else their keys alone enter it, without rows. Allocates nothing when `workspace` has
/// served such queries before. `keys` is a view of them or a key source, see HashGraph, of a type
/// of which the table's key type holds every value. Throws CapacityError when they exceed the
/// table's row type or memory is short.
template <backends::ExecutionSpace Exec, class Keys, class Table>
[[nodiscard]] std::uint64_t intersect_count(const Exec& exec, const Keys& keys, const Table& table,
                                            Workspace<typename Table::memory_space>& workspace) {
  using Key = typename Table::key_type;
  using Row = typename Table::row_type;
  using Memory = typename Table::memory_space;
  detail::require_accessible_table<Exec, Memory>();
  detail::require_accessible_queries<Exec, Keys>();
  Kokkos::Profiling::ScopedRegion region("hashmill::intersect_count");
  const auto queries = detail::stored_keys<Key>(keys);
  using Queries = std::decay_t<decltype(queries)>;
  check_rows<Row>(0, queries.size());
  if (table.size() == 0) return 0;
  const typename Workspace<Memory>::Frame frame(workspace);
  const auto ref = table.ref();
  if constexpr (detail::stores_keys_of<Table>) {
    const detail::KeyRuns runs{queries, ref.layout().equal(), queries.size()};
    if (const auto listed = detail::list_runs<Row>(exec, runs, workspace)) {
      using Layout = detail::LayoutLike<Table, KeyRow<Row>, Queries>;
      const Layout layout(queries, 0, ref.hasher(), ref.layout().equal());
      const auto lengths = detail::borrow_table<Key>(exec, layout, detail::NumberedLayout(layout),
                                                     *listed, listed->size(), workspace);
      return detail::total_of_items("hashmill::intersect::count_runs", exec,
                                    detail::CountRunMatches{lengths, ref}, listed->size());
    }
  }
  using Tag =
      std::conditional_t<detail::stores_keys_of<Table>, KeyOnly<Row>, typename Table::layout_type>;
  const detail::LayoutLike<Table, Tag, Queries> layout(queries, 0, ref.hasher(),
                                                       ref.layout().equal());
  const auto others =
      detail::borrow_table<Key>(exec, layout, layout, queries, table.num_buckets(), workspace);
  return detail::total_of_items("hashmill::intersect::count", exec,
                                detail::IntersectEntries{ref, others}, table.num_positions());
}

/// The pairs that `intersect_count` counts, in no specified order; on `exec`, which it fences.
/// Reads both tables twice to size the result exactly. Both layouts must have rows. Temporary
/// memory, of `workspace`: 8 bytes a tile of entries. Throws as `intersect_count`, and
/// CapacityError when the result exceeds `options.memory_budget` or memory. Pairs
/// do not come in order, whatever the options say.
template <backends::ExecutionSpace Exec, class LeftTable, class RightTable>
[[nodiscard]] auto intersect(const Exec& exec, const LeftTable& left, const RightTable& right,
                             const JoinOptions& options,
                             Workspace<typename LeftTable::memory_space>& workspace) {
  using Memory = typename LeftTable::memory_space;
  static_assert(std::is_same_v<typename LeftTable::key_type, typename RightTable::key_type>,
                "hashmill::intersect: the tables must have the same key type");
  detail::require_accessible_table<Exec, typename LeftTable::memory_space>();
  detail::require_accessible_table<Exec, typename RightTable::memory_space>();
  Kokkos::Profiling::ScopedRegion region("hashmill::intersect");
  detail::check_same_hash_range("intersect", left, right);
  RowPairs<typename LeftTable::row_type, typename RightTable::row_type, Memory> pairs;
  const typename Workspace<Memory>::Frame frame(workspace);
  detail::write_joined("intersect", exec, detail::plan_intersect(exec, left, right, workspace),
                       options, pairs);
  return pairs;
}

/// As above, with temporary memory of its own.
template <backends::ExecutionSpace Exec, class LeftTable, class RightTable>
[[nodiscard]] auto intersect(const Exec& exec, const LeftTable& left, const RightTable& right) {
  Workspace<typename LeftTable::memory_space> workspace;
  return intersect(exec, left, right, JoinOptions{}, workspace);
}

}  // namespace hashmill
