#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/join/detail/chunks.hpp>
#include <hashmill/join/detail/mark_join.hpp>
#include <hashmill/join/detail/plan.hpp>
#include <hashmill/join/detail/write_row_pairs.hpp>
#include <hashmill/join/options.hpp>

/// Joins with a table. The left side are queries, the probe side. The right side is the table, the
/// build side: a HashGraph, Chaining, LinearProbing, TagBucket or ArrayTable of the right side's
/// keys.
///
/// The results are row numbers ("gather maps"), which `gather` turns into columns. A table can
/// serve any number of joins, and change between them. No join modifies its inputs.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::uint32_t*, Exec> customers("customers", 1000), buyers("buyers", 5000);
///     const hashmill::HashGraph<std::uint32_t, Exec::memory_space> table(exec, customers);
///     const auto pairs = hashmill::join(exec, hashmill::JoinKind::left, buyers, table);
///     // pairs.left(i) is a row of buyers; pairs.right(i) is a row of customers, or no_row
///     const auto strangers = hashmill::anti_join(exec, buyers, table);  // rows of buyers
///
/// Keys of several columns, nulls and strings (see columns.hpp):
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::int32_t*, Exec> country("country", 100), city("city", 100);
///     Kokkos::View<std::int32_t*, Exec> home("home", 5000), town("town", 5000);
///     const auto table = hashmill::row_table(exec, hashmill::columns(country, city));
///     const auto pairs =
///         hashmill::join(exec, hashmill::JoinKind::left, hashmill::columns(home, town), table);
///
/// Queries of another number type than the table's keys are compared by value (see KeyEqual). A
/// query that the key type cannot hold has no match.
///
/// A condition is a device-callable `bool(left_row, right_row)`, passed after the table. A pair of
/// equal keys is no match if the condition is false for it.
///
/// All functions here run on `exec`, and fence it before they return.

namespace hashmill {

/// Returns the number of pairs that `join` would give, without memory for them. Looks up every
/// query once. Temporary memory: 8 bytes per query, and for `right` and `full` what `join` says.
/// Throws InvalidArgument as `join` does. Throws CapacityError if temporary memory does not
/// suffice, or if there are more queries than `row_type` can number.
template <backends::ExecutionSpace Exec, class Probe, class Table, class Match = EveryPair>
[[nodiscard]] std::uint64_t join_size(const Exec& exec, JoinKind kind, const Probe& left,
                                      const Table& right, const Match& match = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::join_size");
  Workspace<typename Table::memory_space> workspace;
  return detail::plan_join(exec, kind, left, right, match, false, workspace).size();
}

/// Returns the row pairs of a join. `left(i)` is the number of a query, from 0. `right(i)` is a row
/// number of the table. `no_row` stands for a missing partner.
///
/// Order: pairs come in the order of the queries. The pairs of one query come in no specified
/// order, or by right row with `options.ordered`. Rows that no query matched come last, by number.
///
/// Two passes: the first counts the matches of every query, and a scan places them. The second
/// writes into a result of exactly the right size. So every query is looked up twice. Memory: 2
/// sizeof(row_type) bytes per pair for the result, and 8 bytes per query while the join runs.
///
/// A group of lanes shares the matches of a query with millions of them, if the table can be read
/// in any order and there is no condition.
///
/// `right` and `full` give each entry of the table that no query matches once. They mark matches
/// in:
///
///     | row numbers of the table                              | one bit per                     |
///     |-------------------------------------------------------|---------------------------------|
///     | differ, and range over at most 8 times its positions  | number, from least to greatest  |
///     | all others                                            | position of the table           |
///
/// The second case takes three further row numbers for each row that no query matched.
///
/// Throws:
///
/// - InvalidArgument for `right` and `full` with a LinearProbing of unique keys. It keeps only one
///   row of each key.
/// - CapacityError if the result exceeds `options.memory_budget` or memory, or if there are more
///   queries than `row_type` can number. The message names the sizes. No partial result is
///   returned.
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

/// As above, into `result`. Its memory is used again if it suffices. What `result` held is lost,
/// and nobody else may hold its columns. Temporary memory comes from `workspace`.
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

/// Gives the pairs of `join` in chunks that fit `options.memory_budget` bytes. Calls `use(pairs)`
/// on the host with one RowPairs after another, never an empty one. Its columns are overwritten
/// once `use` returns. A chunk holds all pairs of each of its queries. Together the chunks are what
/// `join` gives, in its order.
///
/// Fences `exec` before each call. Beside the budget it takes 16 bytes per query while it runs, and
/// what ordering takes (see `JoinOptions::ordered`).
///
/// Throws as `join`. Throws CapacityError before the first chunk if one query has more pairs than
/// the budget holds.
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

/// Sets `out(i)` to whether query i has a match: the mark join. `out` is a view of bool with one
/// element per query. Without a condition the search for a query ends at its first match. With one,
/// every match is visited, but the condition is not asked again once it has held.
///
/// Throws InvalidArgument if `out` has another length than the queries. With a condition, throws
/// CapacityError if there are more queries than `row_type` can number.
template <backends::ExecutionSpace Exec, class Probe, class Table, class Out,
          class Match = EveryPair>
void mark_join(const Exec& exec, const Probe& left, const Table& right, const Out& out,
               const Match& match = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mark_join");
  detail::bulk_mark(exec, left, right, out, match);
  exec.fence("hashmill::mark_join: results are handed to the caller");
}

/// Returns the numbers of the queries that have a match, in ascending order: the left semi join.
/// The result is a view of `row_type`. Takes 1 byte per query while it runs.
/// `options.memory_budget` limits the result.
///
/// Throws CapacityError as `join` does.
template <backends::ExecutionSpace Exec, class Probe, class Table, class Match = EveryPair>
[[nodiscard]] auto semi_join(const Exec& exec, const Probe& left, const Table& right,
                             const Match& match = {}, const JoinOptions& options = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::semi_join");
  return detail::select_marked(exec, left, right, match, true, options);
}

/// Returns the numbers of the queries that have no match, in ascending order: the left anti join.
/// Rows with a null that matches nothing are among them (SQL's NOT EXISTS, not its NOT IN).
/// Otherwise as `semi_join`.
template <backends::ExecutionSpace Exec, class Probe, class Table, class Match = EveryPair>
[[nodiscard]] auto anti_join(const Exec& exec, const Probe& left, const Table& right,
                             const Match& match = {}, const JoinOptions& options = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::anti_join");
  return detail::select_marked(exec, left, right, match, false, options);
}

}  // namespace hashmill
