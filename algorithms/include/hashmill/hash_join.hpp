#pragma once

#include <hashmill/join/detail/strategies.hpp>
#include <hashmill/join/hash_join_options.hpp>

namespace hashmill {

/// The row pairs of a join of two sides that are in no table yet: `left(i)` and `right(i)` number
/// rows of the sides, in no specified order unless `options.ordered`, and `no_row` stands for what
/// is not there. Keys are views of them, key sources (see HashGraph) or `columns(...)`; nulls, NaNs
/// and the condition as in `join`. Keys of different number types are compared by value, as
/// KeyEqual does; those of int64 and uint64 only as columns. Sizes first, and allocates exactly the
/// result; fences `exec`. Inputs are never modified. The right side is the build side and should be
/// the smaller one; the left side is the probe side. Sides that are joined again and again are
/// better put into a table, for `join`.
///
/// `automatic` takes the first of these that holds:
///
///     | keys                                                          | strategy      |
///     |---------------------------------------------------------------|---------------|
///     | right keys are integers less than 2^21 apart; on CPUs, their  | `array`       |
///     | array of rows fits twice the cache of one core                |               |
///     | on CPUs, keys of at most 8 bytes, or integer columns of at    | `partitioned` |
///     | most 8 bytes together that hold no nulls                      |               |
///     | on CPUs, keys that stay in columns                            | `look_up`     |
///     | the right side's table fits half of the shared cache          | `look_up`     |
///     | all others                                                    | `partitioned` |
///
/// `partitioned` makes no random access to memory. Each pass of partitioning reads and writes every
/// row once, 8 bytes with 32-bit keys and rows; 2^27 rows take two passes on a GPU. Joining reads
/// them twice more. Its temporary memory, of `workspace`, is twice the records of both sides. For
/// the other strategies see HashGraph, LinearProbing, TagBucket and ArrayTable.
///
/// A Bloom filter of the right side's keys (8 bits per row, see BloomFilter) can drop left rows
/// first, with `look_up` and `partitioned`. `Prefilter::automatic` does so where all of these hold:
///
///     the left side has 2^16 rows or more, and at least twice as many as the right side
///     at most a quarter of the sampled left rows pass the filter
///
/// The sample is of keys, not of rows: one key of 64 where 2^18 left rows are read. Sampling reads
/// all right keys. Filtering reads each key once and a block of 32 bytes at random for it. It takes
/// one byte per row of either side and the numbers of the rows that pass. The test of the rule is
/// PrefilteredHashJoin.FiltersByItselfWhereFewOfManyLeftRowsPass.
///
/// Each join deals rows out by a function of its own of the family of `hash` (see HashFamily), on
/// top of which comes the seed of the options.
///
/// Throws InvalidArgument where a seed is asked of a hash that takes none, a strategy does not suit
/// the keys, the kind or the condition, or keys repeat under `unique_keys`, and CapacityError when
/// the result exceeds `options.memory_budget` or memory, or the rows the row type; nothing partial
/// is returned.
template <RowNumber Row = std::uint32_t, JoinStrategy Strategy = JoinStrategy::automatic,
          backends::ExecutionSpace Exec, class Left, class Right, class Match,
          class Hash = detail::DefaultHash<Right>, class Equal = detail::DefaultEqual<Right>>
[[nodiscard]] auto hash_join(const Exec& exec, JoinKind kind, const Left& left, const Right& right,
                             const Match& match, const HashJoinOptions<Strategy>& options,
                             Workspace<typename Right::memory_space>& workspace,
                             const Hash& hash = {}, const Equal& equal = {}) {
  RowPairs<Row, Row, typename Right::memory_space> result;
  hash_join<Row>(exec, kind, left, right, match, options, result, workspace, hash, equal);
  return result;
}

/// As above, into `result`, whose memory is used again where it is enough. What it held is gone;
/// nobody else may hold its columns.
template <RowNumber Row, JoinStrategy Strategy = JoinStrategy::automatic,
          backends::ExecutionSpace Exec, class Left, class Right, class Match,
          class Hash = detail::DefaultHash<Right>, class Equal = detail::DefaultEqual<Right>>
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

/// The number of pairs that `hash_join` would give, without memory for them; partitions keys alone,
/// without row numbers, where the join is inner and has no condition. Throws as that.
template <RowNumber Row = std::uint32_t, JoinStrategy Strategy = JoinStrategy::automatic,
          backends::ExecutionSpace Exec, class Left, class Right, class Match,
          class Hash = detail::DefaultHash<Right>, class Equal = detail::DefaultEqual<Right>>
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

}  // namespace hashmill
