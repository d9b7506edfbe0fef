#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/join/detail/chunks.hpp>
#include <hashmill/join/detail/mark_join.hpp>
#include <hashmill/join/detail/plan.hpp>
#include <hashmill/join/detail/write_row_pairs.hpp>
#include <hashmill/join/options.hpp>

/// Joins of queries, the left side, with a table, the right side: a HashGraph, Chaining,
/// LinearProbing, TagBucket or ArrayTable built of the right side's keys. They answer with row
/// numbers ("gather maps"), which `gather` turns into columns. The table can serve any number of
/// joins, and grow between them as it does elsewhere; inputs are never modified.
///
/// Keys of several columns, nulls and strings:
///
///     const auto table = row_table(exec, columns(country, city));
///     const auto pairs = join(exec, JoinKind::left, columns(their_country, their_city), table);
///
/// Queries of another number type than the table's keys are compared by value (see KeyEqual): one
/// that the key type cannot hold has no match.
///
/// A condition, the last argument, is a device-callable `bool(left_row, right_row)`: pairs of equal
/// keys for which it does not hold are no matches. All of the following fence `exec`.

namespace hashmill {

/// The number of pairs that `join` would give, without memory for them. Looks every query up once.
/// Throws as `join`.
template <backends::ExecutionSpace Exec, class Probe, class Table, class Match = EveryPair>
[[nodiscard]] std::uint64_t join_size(const Exec& exec, JoinKind kind, const Probe& left,
                                      const Table& right, const Match& match = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::join_size");
  Workspace<typename Table::memory_space> workspace;
  return detail::plan_join(exec, kind, left, right, match, false, workspace).size();
}

/// The row pairs of a join: row i of `left` is query i, that of `right` what the table says, and
/// `no_row` stands for what is not there. In the order of the queries; those of one query in no
/// specified order, or by right row where `options.ordered`; rows that no query matched last, by
/// number.
///
/// Size first: counts the matches of every query, scans the counts, and allocates exactly the
/// result (2 sizeof(row_type) bytes a pair; 8 bytes a query while it runs). Looks every query up
/// twice. A query with millions of matches is shared by the lanes of a group where the table can be
/// read in any order and there is no condition.
///
/// `right` and `full` give each entry of the table that no query matches once. They take a bit for
/// each row number from the least to the greatest; where these are more than 8 times the table's
/// positions or repeat, a bit for each position and three rows for each row without a query.
///
/// Throws InvalidArgument for `right` and `full` with a LinearProbing of unique keys, which lacks
/// the further rows of a key. Throws CapacityError when the result exceeds `options.memory_budget`
/// or memory, or the queries the row type, naming the sizes; nothing partial is returned.
template <backends::ExecutionSpace Exec, class Probe, class Table, class Match = EveryPair>
[[nodiscard]] auto join(const Exec& exec, JoinKind kind, const Probe& left, const Table& right,
                        const Match& match = {}, const JoinOptions& options = {}) {
  using Row = typename Table::row_type;
  using Memory = typename Table::memory_space;
  RowPairs<Row, Row, Memory> result;
  Workspace<Memory> workspace;
  join(exec, kind, left, right, match, options, result, workspace);
  return result;
}

/// As above, into `result`, whose memory is used again where it is enough, with temporary memory of
/// `workspace`. What `result` held is gone; nobody else may hold its columns.
template <backends::ExecutionSpace Exec, class Probe, class Table, class Match>
void join(const Exec& exec, JoinKind kind, const Probe& left, const Table& right,
          const Match& match, const JoinOptions& options,
          RowPairs<typename Table::row_type, typename Table::row_type,
                   typename Table::memory_space>& result,
          Workspace<typename Table::memory_space>& workspace) {
  Kokkos::Profiling::ScopedRegion region("hashmill::join");
  const typename Workspace<typename Table::memory_space>::Frame frame(workspace);
  const auto plan = detail::plan_join(exec, kind, left, right, match, true, workspace);
  detail::write_row_pairs("join", exec, plan, options, result, workspace);
}

/// The pairs of `join` in chunks that fit `options.memory_budget` bytes: calls `use(pairs)` on the
/// host for one RowPairs after the other, never an empty one; what they hold is gone when `use`
/// returns. A chunk has whole queries; together they are what `join` gives, in its order. Waits for
/// `exec` before each call; besides the budget, 16 bytes a query while it runs, and what ordering
/// takes. Throws as `join`,
/// and CapacityError, before the first chunk, when one query has more pairs than the budget holds.
template <backends::ExecutionSpace Exec, class Probe, class Table, class Match, class Use>
void join_in_chunks(const Exec& exec, JoinKind kind, const Probe& left, const Table& right,
                    const Match& match, const JoinOptions& options, const Use& use) {
  using Row = typename Table::row_type;
  using Memory = typename Table::memory_space;
  using Pairs = RowPairs<Row, Row, Memory>;
  Kokkos::Profiling::ScopedRegion region("hashmill::join_in_chunks");
  Workspace<Memory> workspace;
  const auto plan = detail::plan_join(exec, kind, left, right, match, true, workspace);
  const std::uint64_t room = std::min(plan.size(), options.memory_budget / (2 * sizeof(Row)));
  Pairs all;
  all.left = backends::allocate<decltype(all.left)>(exec, "hashmill::join::left", room);
  all.right = backends::allocate<decltype(all.right)>(exec, "hashmill::join::right", room);
  const detail::JoinChunks chunks(plan, room, options.ordered, all.left.data(), all.right.data(),
                                  workspace);
  chunks.for_each([&](std::uint64_t size) {
    const auto part = std::make_pair(std::uint64_t{0}, size);
    use(Pairs{Kokkos::subview(all.left, part), Kokkos::subview(all.right, part)});
  });
}

/// out(i) = whether query i has a match, the mark join; `out` is a view of bool as long as the
/// queries, or InvalidArgument is thrown. Stops at a query's first match.
template <backends::ExecutionSpace Exec, class Probe, class Table, class Out,
          class Match = EveryPair>
void mark_join(const Exec& exec, const Probe& left, const Table& right, const Out& out,
               const Match& match = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mark_join");
  detail::bulk_mark(exec, left, right, out, match);
  exec.fence("hashmill::mark_join: results are handed to the caller");
}

/// The queries that have a match, in their order: the left semi join. 1 byte a query while it runs.
/// Throws as `join`.
template <backends::ExecutionSpace Exec, class Probe, class Table, class Match = EveryPair>
[[nodiscard]] auto semi_join(const Exec& exec, const Probe& left, const Table& right,
                             const Match& match = {}, const JoinOptions& options = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::semi_join");
  return detail::select_marked(exec, left, right, match, true, options);
}

/// The queries that have none, in their order: the left anti join. Rows with a null that matches
/// nothing are among them (SQL's NOT EXISTS, not its NOT IN). Otherwise as `semi_join`.
template <backends::ExecutionSpace Exec, class Probe, class Table, class Match = EveryPair>
[[nodiscard]] auto anti_join(const Exec& exec, const Probe& left, const Table& right,
                             const Match& match = {}, const JoinOptions& options = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::anti_join");
  return detail::select_marked(exec, left, right, match, false, options);
}

}  // namespace hashmill
