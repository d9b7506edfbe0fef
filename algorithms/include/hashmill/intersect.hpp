#pragma once

#include <hashmill/csr.hpp>
#include <hashmill/hash_graph.hpp>
#include <hashmill/join/detail/intersect_plan.hpp>
#include <hashmill/join/detail/key_runs.hpp>
#include <hashmill/join/detail/write_joined.hpp>
#include <hashmill/primitives/detail/keys_as.hpp>

namespace hashmill {

/// Returns the number of pairs (row of `left`, row of `right`) with equal keys. Runs on `exec`, and
/// fences it.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     using Table = hashmill::HashGraph<std::uint32_t, Exec::memory_space>;
///     const Exec exec;
///     Kokkos::View<std::uint32_t*, Exec> buyers("buyers", 5000), customers("customers", 1000);
///     const Table right(exec, customers);
///     hashmill::HashGraphOptions same_range;
///     same_range.buckets = hashmill::BucketCount(right.num_buckets());
///     const Table left(exec, buyers, same_range);
///     const auto count = hashmill::intersect_count(exec, left, right);
///     const auto pairs = hashmill::intersect(exec, left, right);  // count of them
///
/// "Probe-New" of Green 2019 (algorithm 4). Both inputs are tables over one hash range, so equal
/// keys are in buckets of the same number. Both tables are read from front to back, once. A look-up
/// table would be read at random. The entries of two buckets are compared pairwise.
///
/// Choose it if both tables exist already, or if keys repeat.
///
/// Throws InvalidArgument if the hash ranges or the hash functions differ.
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

/// Returns the number of pairs (query, row of `table`) with equal keys, for queries that are in no
/// table yet. Builds a table of the queries and intersects the two. Runs on `exec`, and fences it.
///
/// - `keys`: a view of keys or a key source (see HashGraph). The table's key type must hold every
///   value of its type.
/// - `workspace`: temporary memory. Nothing is allocated if it has served such queries before.
///
/// A sample of 2^15 queries decides what enters the table of the queries:
///
///     | the sample has              | entries                                       |
///     |-----------------------------|-----------------------------------------------|
///     | two queries per run or more | one per run of equal queries, with its length |
///     | fewer                       | one per query: its key, without a row         |
///
/// Runs are long where rows are sorted or clustered by their key, as line items are by their order.
/// Then the build and the intersection have at most half as much to do, for one more pass over the
/// queries. Runs are listed only if the table stores its keys. If all queries together have more
/// than one run per two queries, each query is an entry after all.
///
/// Throws CapacityError if the queries exceed what the table's row type can number, or if memory
/// does not suffice.
template <backends::ExecutionSpace Exec, class Keys, class Table>
[[nodiscard]] std::uint64_t intersect_count(const Exec& exec, const Keys& keys, const Table& table,
                                            Workspace<typename Table::memory_space>& workspace) {
  using Key = typename Table::key_type;
  using Row = typename Table::row_type;
  using Memory = typename Table::memory_space;
  detail::require_accessible_table<Exec, Memory>();
  detail::check_single_keys<Exec>(keys);
  Kokkos::Profiling::ScopedRegion region("hashmill::intersect_count");
  detail::require_all_buckets("intersect_count", table);
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

/// Returns the pairs that `intersect_count` counts: rows of `left` and rows of `right` with equal
/// keys. They come in no specified order, whatever the options say. Runs on `exec`, and fences it.
///
/// Reads both tables twice, to allocate a result of exactly the right size. Both layouts must store
/// rows. Temporary memory, from `workspace`: 8 bytes per tile of 256 entries of `left`.
///
/// Throws InvalidArgument as `intersect_count` does. Throws CapacityError if the result exceeds
/// `options.memory_budget` or memory.
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
