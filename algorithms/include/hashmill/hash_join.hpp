#pragma once

#include <hashmill/join/detail/strategies.hpp>
#include <hashmill/join/hash_join_options.hpp>

namespace hashmill {

/// The row pairs of a join of two sides that are in no table yet: `left(i)` and `right(i)` number
/// rows of the sides, in no specified order unless `options.ordered`, and `no_row` stands for what
/// is not there. Keys are views of them, key sources (see HashGraph) or `columns(...)`; nulls, NaNs
/// and the condition as in `join`. Keys of different number types are compared by value, as
/// KeyEqual does; those of int64 and uint64 only as columns. Sizes first, and allocates exactly the
/// result; fences `exec`. The right side should be the smaller one. Inputs are never modified.
///
/// `automatic` takes `array` where the right side's keys are integers less than 2^21 apart, and on
/// CPUs an array of their rows fits twice the cache of one core. Else, on CPUs, `partitioned` for
/// keys of up to 8 bytes and `look_up` for those that stay in columns; for other keys, and on GPUs,
/// `look_up` where its table fits half of the cache that all threads share, and `partitioned` where
/// it does not. CPUs join integer columns of up to 8 bytes together, of which no row can be null,
/// as one such key. Sides that are joined again and again are better put into a table, for `join`.
///
/// `partitioned` reads and writes each row once a pass of partitioning (two for 2^27 rows on a
/// GPU), 8 bytes with 32-bit keys and rows, reads it twice more, and makes no random access to
/// memory; temporary memory, of `workspace`: twice the records of both sides. The others: see
/// HashGraph, LinearProbing, TagBucket, ArrayTable and, for those that exist to be compared with,
/// mc_hash.hpp, whose tuples the rows become first.
///
/// `Prefilter::automatic` drops left rows before the rest is done where the left side has 2^16 rows
/// or more, at least twice as many as the right side, and of the rows of a sample of keys (one key
/// of 64 in a large join, of 2^18 left rows) at most a quarter pass a Bloom filter of the right
/// side's (8 bits a row, see BloomFilter); with `look_up` and `partitioned` only. The test is
/// PrefilteredHashJoin, FiltersByItselfWhereFewOfManyLeftRowsPass. Asking reads the right side's
/// keys. A filter reads each key once and a block of 32 bytes at random for it, and takes a byte a
/// row of either side and the numbers of the rows that pass.
///
/// Each join deals rows out by a function of its own of the family of `hash` (see HashFamily), on
/// top of which comes the seed of the options.
///
/// Throws InvalidArgument where a seed is asked of a hash that takes none, a strategy does not suit
/// the keys, the kind or the condition, or keys repeat under `unique_keys`, and CapacityError when
/// the result exceeds `options.memory_budget` or memory, or the rows the row type; nothing partial
/// is returned.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Right, class Left,
          class Match, class Hash = detail::JoinHash<Right>, class Equal = detail::JoinEqual<Right>>
[[nodiscard]] auto hash_join(const Exec& exec, JoinKind kind, const Right& right, const Left& left,
                             const Match& match, const HashJoinOptions& options,
                             Workspace<typename Right::memory_space>& workspace,
                             const Hash& hash = {}, const Equal& equal = {}) {
  RowPairs<Row, Row, typename Right::memory_space> result;
  hash_join<Row>(exec, kind, right, left, match, options, result, workspace, hash, equal);
  return result;
}

/// As above, into `result`, whose memory is used again where it is enough. What it held is gone;
/// nobody else may hold its columns.
template <RowNumber Row, backends::ExecutionSpace Exec, class Right, class Left, class Match,
          class Hash = detail::JoinHash<Right>, class Equal = detail::JoinEqual<Right>>
void hash_join(const Exec& exec, JoinKind kind, const Right& right, const Left& left,
               const Match& match, const HashJoinOptions& options,
               RowPairs<Row, Row, typename Right::memory_space>& result,
               Workspace<typename Right::memory_space>& workspace, const Hash& hash = {},
               const Equal& equal = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::hash_join");
  (void)detail::run_hash_join<Row>(exec, kind, right, left, match, options, &result, workspace,
                                   hash, equal);
}

/// As above, with temporary memory of its own.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Right, class Left,
          class Match = EveryPair>
[[nodiscard]] auto hash_join(const Exec& exec, JoinKind kind, const Right& right, const Left& left,
                             const Match& match = {}, const HashJoinOptions& options = {}) {
  Workspace<typename Right::memory_space> workspace;
  return hash_join<Row>(exec, kind, right, left, match, options, workspace);
}

/// The number of pairs that `hash_join` would give, without memory for them; partitions keys alone,
/// without row numbers, where the join is inner and has no condition. Throws as that.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Right, class Left,
          class Match, class Hash = detail::JoinHash<Right>, class Equal = detail::JoinEqual<Right>>
[[nodiscard]] std::uint64_t hash_join_size(const Exec& exec, JoinKind kind, const Right& right,
                                           const Left& left, const Match& match,
                                           const HashJoinOptions& options,
                                           Workspace<typename Right::memory_space>& workspace,
                                           const Hash& hash = {}, const Equal& equal = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::hash_join_size");
  RowPairs<Row, Row, typename Right::memory_space>* const none = nullptr;
  return detail::run_hash_join<Row>(exec, kind, right, left, match, options, none, workspace, hash,
                                    equal);
}

}  // namespace hashmill
