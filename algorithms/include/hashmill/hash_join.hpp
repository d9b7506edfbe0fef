#pragma once

#include <hashmill/join/detail/run_hash_join.hpp>
#include <hashmill/join/hash_join_options.hpp>

namespace hashmill {

/// Joins two sides that are in no table yet, and returns row pairs. `left(i)` and `right(i)` are
/// row numbers of the sides. `no_row` stands for a missing partner. Pairs come in no specified
/// order, unless `options.ordered`.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::uint64_t*, Exec> items("items", 8000), orders("orders", 1000);
///     const auto pairs = hashmill::hash_join(exec, hashmill::JoinKind::inner, items, orders);
///     // rows pairs.left(i) of items and pairs.right(i) of orders have equal keys
///
///     using Partitioned = hashmill::HashJoinOptions<hashmill::JoinStrategy::partitioned>;
///     const auto same = hashmill::hash_join(exec, hashmill::JoinKind::inner, items, orders,
///                                           hashmill::EveryPair{}, Partitioned{});
///
/// The left side is the probe side. The right side is the build side, and should be the smaller
/// one. `automatic` builds the left side in its place where all of these hold:
///
///     the join is inner, and not `ordered`
///     the right side has more than 4 times as many rows as the left side
///     both sides are views of one type of keys, or columns of the same types
///
/// What is said below of the right side then holds for the left one, and the reverse. The result
/// means the same. Measured on one core of an AMD EPYC with 2^22 right rows of 8 bytes, in ms:
///
///     | right rows per left row       | built right | built left |
///     |-------------------------------|-------------|------------|
///     | 5                             | 82          | 75         |
///     | 256                           | 64          | 50         |
///     | 5, of keys that index an      | 3146        | 407        |
///     | array and have 20 rows each   |             |            |
///
/// A side that is joined again and again is better put into a table, for `join`.
///
/// Each side is a view of keys, a key source (see HashGraph), a column or `columns(...)`. A column
/// alone, and a view beside it, is read as `columns` of it: its nulls match nothing. Nulls, NaNs
/// and the condition are as in `join`. Keys of different number types are compared by value, as
/// KeyEqual does. Keys of int64 and uint64 can be joined only as columns.
///
/// The result is allocated once the pairs are counted, at exactly its size. Inputs are never
/// modified. The join runs on `exec`, and fences it before it returns.
///
/// `automatic` takes the first of these that holds:
///
///     | keys                                                          | strategy      |
///     |---------------------------------------------------------------|---------------|
///     | right keys are integers less than 2^21 apart; on CPUs, their  | `array`       |
///     | array of rows fits twice the private cache of one core        |               |
///     | on CPUs, keys of at most 8 bytes, or integer columns of at    | `partitioned` |
///     | most 8 bytes together that hold no nulls                      |               |
///     | on CPUs, keys that stay in columns                            | `look_up`     |
///     | the right side's table fits half of the shared cache          | `look_up`     |
///     | all others                                                    | `partitioned` |
///
/// `partitioned` makes no random access to memory. Each pass of partitioning reads every row twice
/// and writes it once. A row takes 8 bytes with 32-bit keys and rows. 2^27 rows take two passes on
/// a GPU. Joining reads the rows twice more. Temporary memory, from `workspace`: the records of
/// both sides, twice if there are several passes. For the other strategies see HashGraph,
/// LinearProbing, TagBucket and ArrayTable.
///
/// A filter of the right side's keys (see JoinFilter) can drop left rows first, with `look_up` and
/// `partitioned`. It is a bitmap if the keys are integers less than 2^26 apart and less than 64
/// apart per left row, else a Bloom filter of 8 bits per row. `Prefilter::automatic` filters where
/// all of these hold:
///
///     the left side has 2^16 rows or more
///     it has at least twice as many as the right side; on CPUs, 8 times as many for a Bloom filter
///     at most a quarter of the sampled left rows pass the filter
///
/// The sample is of keys, not of rows: one key of 64 where 2^18 left rows are read. Sampling reads
/// all right keys, and so does looking for their range. Filtering reads each key once, and a word
/// or a block of 32 bytes at random for it. It takes the filter, one byte per left row, and the
/// numbers of the rows that pass. The test of the rule is
/// PrefilteredHashJoin.FiltersByItselfWhereFewOfManyLeftRowsPass.
///
/// Each join uses a hash function of its own of the family of `hash` (see HashFamily). The seed of
/// the options is added to it.
///
/// Throws:
///
/// - InvalidArgument if a seed is asked of a hash that takes none, if a strategy does not suit the
///   keys, the kind or the condition, or if keys repeat under `unique_keys`.
/// - CapacityError if the result exceeds `options.memory_budget` or memory, or if a side has more
///   rows than `Row` can number. No partial result is returned.
template <RowNumber Row = std::uint32_t, JoinStrategy Strategy = JoinStrategy::automatic,
          backends::ExecutionSpace Exec, class Left, class Right, class Match,
          class Hash = detail::DefaultHash<Left, Right>,
          class Equal = detail::DefaultEqual<Left, Right>>
[[nodiscard]] auto hash_join(const Exec& exec, JoinKind kind, const Left& left, const Right& right,
                             const Match& match, const HashJoinOptions<Strategy>& options,
                             Workspace<typename Right::memory_space>& workspace,
                             const Hash& hash = {}, const Equal& equal = {}) {
  RowPairs<Row, Row, typename Right::memory_space> result;
  hash_join<Row>(exec, kind, left, right, match, options, result, workspace, hash, equal);
  return result;
}

/// As above, into `result`. Its memory is used again if it suffices. What it held is lost, and
/// nobody else may hold its columns.
template <RowNumber Row, JoinStrategy Strategy = JoinStrategy::automatic,
          backends::ExecutionSpace Exec, class Left, class Right, class Match,
          class Hash = detail::DefaultHash<Left, Right>,
          class Equal = detail::DefaultEqual<Left, Right>>
void hash_join(const Exec& exec, JoinKind kind, const Left& left, const Right& right,
               const Match& match, const HashJoinOptions<Strategy>& options,
               RowPairs<Row, Row, typename Right::memory_space>& result,
               Workspace<typename Right::memory_space>& workspace, const Hash& hash = {},
               const Equal& equal = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::hash_join");
  const detail::JoinRequest request{exec, kind, left, right, match, hash, equal};
  (void)detail::run_hash_join<Row>(request, options, &result, workspace);
}

/// As above, with temporary memory of its own.
template <RowNumber Row = std::uint32_t, JoinStrategy Strategy = JoinStrategy::automatic,
          backends::ExecutionSpace Exec, class Left, class Right, class Match = EveryPair>
[[nodiscard]] auto hash_join(const Exec& exec, JoinKind kind, const Left& left, const Right& right,
                             const Match& match = {},
                             const HashJoinOptions<Strategy>& options = {}) {
  Workspace<typename Right::memory_space> workspace;
  return hash_join<Row>(exec, kind, left, right, match, options, workspace);
}

/// Returns the number of pairs that `hash_join` would give, without memory for them. An inner join
/// without a condition partitions keys alone, without row numbers. Fences `exec`. Throws as
/// `hash_join`.
template <RowNumber Row = std::uint32_t, JoinStrategy Strategy = JoinStrategy::automatic,
          backends::ExecutionSpace Exec, class Left, class Right, class Match,
          class Hash = detail::DefaultHash<Left, Right>,
          class Equal = detail::DefaultEqual<Left, Right>>
[[nodiscard]] std::uint64_t hash_join_size(const Exec& exec, JoinKind kind, const Left& left,
                                           const Right& right, const Match& match,
                                           const HashJoinOptions<Strategy>& options,
                                           Workspace<typename Right::memory_space>& workspace,
                                           const Hash& hash = {}, const Equal& equal = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::hash_join_size");
  const detail::JoinRequest request{exec, kind, left, right, match, hash, equal};
  RowPairs<Row, Row, typename Right::memory_space>* const none = nullptr;
  return detail::run_hash_join<Row>(request, options, none, workspace);
}

/// Returns the most bytes that `hash_join` takes at once beside the sides: temporary memory and the
/// result. For the strategies `automatic`, `look_up`, `partitioned` and `array`. Reads no row and
/// allocates nothing. Of the sides only their types count, and whether columns have nulls. So they
/// can be empty where the rows are not there yet:
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     const Kokkos::View<std::uint64_t*, Exec> items, orders;
///     const hashmill::JoinSizes sizes{8'000'000, 1'000'000, 8'000'000};
///     const std::uint64_t bytes = hashmill::hash_join_peak_bytes(
///         exec, hashmill::JoinKind::inner, items, orders, sizes);
///
/// It is an upper bound:
///
///     | strategy                               | bytes                                      |
///     |----------------------------------------|--------------------------------------------|
///     | `look_up`, `partitioned`, where sizes  | at most 1.3 times what is taken, with 2^16 |
///     | and options allow no filter            | rows or more, not `ordered`                |
///     | the same, where a filter may come      | as if all left rows passed it              |
///     | `automatic`                            | of what takes most for any keys            |
///
/// HashGraph says what skewed keys of the right side can take beyond it. `ordered` counts two
/// copies of the pairs. Throws CapacityError if the bytes do not fit 64 bits, or if `Row` cannot
/// number the rows of a side.
template <RowNumber Row = std::uint32_t, JoinStrategy Strategy = JoinStrategy::automatic,
          backends::ExecutionSpace Exec, class Left, class Right,
          class Hash = detail::DefaultHash<Left, Right>,
          class Equal = detail::DefaultEqual<Left, Right>>
[[nodiscard]] std::uint64_t hash_join_peak_bytes(const Exec& exec, JoinKind kind, const Left& left,
                                                 const Right& right, const JoinSizes& sizes,
                                                 const HashJoinOptions<Strategy>& options = {},
                                                 const Hash& hash = {}, const Equal& equal = {}) {
  const EveryPair every;
  const detail::JoinRequest request{exec, kind, left, right, every, hash, equal};
  return detail::tell_join_bytes<Row, typename Right::memory_space>(request, options, sizes);
}

}  // namespace hashmill

#ifdef HASHMILL_INSTANCES
#include <hashmill/join/instances.hpp>
#endif
