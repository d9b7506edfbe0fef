#pragma once

#include <hashmill/array_table.hpp>
#include <hashmill/detail/estimate_keys.hpp>
#include <hashmill/detail/join_side.hpp>
#include <hashmill/detail/partitioned_join.hpp>
#include <hashmill/hash_join_options.hpp>
#include <hashmill/intersect.hpp>
#include <hashmill/join.hpp>
#include <hashmill/key_mode.hpp>
#include <hashmill/linear_probing.hpp>

namespace hashmill {

namespace detail {

/// Keys as joins compare them: floating-point numbers as a column.
template <class Keys>
[[nodiscard]] auto join_keys(const Keys& keys) {
  if constexpr (std::is_floating_point_v<KeyOf<Keys>>) {
    return columns(keys);
  } else {
    return keys;
  }
}

/// The sides of a hash join, and how to carry it out by each strategy.
template <class Row, class Exec, class Right, class Left, class Match, class Hash, class Equal>
class HashJoin {
  using Key = KeyOf<Right>;
  using Memory = typename Right::memory_space;
  using Pairs = RowPairs<Row, Row, Memory>;
  static_assert(std::is_same_v<Key, KeyOf<Left>>,
                "hashmill::hash_join: keys of different types on the two sides");
  using Layout = std::conditional_t<key_travels<Key>, KeyRow<Row>, FingerprintRow<Row>>;
  template <class Keys>
  using Graph = HashGraph<Key, Memory, Layout, Hash, Equal, Keys>;
  static constexpr bool can_be_array = Kokkos::is_view_v<Right> && WholeNumberKey<Key>;

 public:
  const Exec& exec;
  JoinKind kind;
  const Right& right;
  const Left& left;
  const Match& match;
  const HashJoinOptions& options;
  Workspace<Memory>& workspace;
  Hash hash;
  Equal equal;

  [[nodiscard]] Pairs run() const {
    switch (options.strategy == JoinStrategy::automatic ? choose() : options.strategy) {
      case JoinStrategy::partitioned:
        return run_partitioned();
      case JoinStrategy::intersect:
        return run_intersect();
      case JoinStrategy::unique_keys:
        return run_unique();
      case JoinStrategy::array:
        return run_array();
      default:
        return join(exec, kind, Graph<Right>(exec, right, {}, workspace, hash, equal), left, match,
                    options);
    }
  }

 private:
  [[nodiscard]] JoinStrategy choose() const {
    if constexpr (can_be_array) {
      if (key_range(exec, right).span < array_limit()) return JoinStrategy::array;
    }
    const std::uint64_t table_bytes = right.size() * (sizeof(Key) + 2 * sizeof(Row));
    if (table_bytes <= backends::shared_cache_bytes(exec) / 2) return JoinStrategy::look_up;
    const std::uint64_t keys = estimate_keys(exec, key_access(right), hash, NoneKnown(), workspace);
    constexpr std::uint64_t many_rows = 8;
    return right.size() / keys >= many_rows ? JoinStrategy::look_up : JoinStrategy::partitioned;
  }
  [[nodiscard]] static constexpr std::uint64_t array_limit() {
    return KeyNormalizer<1>::array_limit;
  }

  [[nodiscard]] Pairs run_partitioned() const {
    const bool keeps_left = kind == JoinKind::left || kind == JoinKind::full;
    const bool keeps_right = kind == JoinKind::right || kind == JoinKind::full;
    const auto right_side = join_side<Row>(right, hash, equal);
    const auto left_side = join_side<Row>(left, hash, equal);
    const typename Workspace<Memory>::Frame frame(workspace);
    const PartitionedJoin<Exec, std::decay_t<decltype(right_side)>,
                          std::decay_t<decltype(left_side)>, Match, Row, Memory>
        plan(exec, right_side, left_side, match, keeps_left, keeps_right, workspace);
    return write_joined<Pairs>("hash_join", exec, plan, options);
  }

  [[nodiscard]] Pairs run_intersect() const {
    if constexpr (std::is_same_v<Match, EveryPair>) {
      if (kind != JoinKind::inner) {
        throw InvalidArgument("hash_join: the strategy intersect gives inner joins only");
      }
      const Graph<Right> table(exec, right, {}, workspace, hash, equal);
      HashGraphOptions same_range;
      same_range.buckets = BucketCount(table.num_buckets());
      const Graph<Left> queries(exec, left, same_range, workspace, hash, equal);
      return intersect(exec, queries, table);
    } else {
      throw InvalidArgument("hash_join: the strategy intersect takes no condition");
    }
  }

  [[nodiscard]] Pairs run_unique() const {
    if constexpr (fits_slot<Key>) {
      const LinearProbing<Key, Memory, UniqueKeys, Row, Hash, Equal> table(exec, right, {}, hash,
                                                                           equal);
      if (table.size() != right.size()) {
        throw InvalidArgument("hash_join: the strategy unique_keys, but " +
                              std::to_string(right.size()) + " rows of the right side have " +
                              std::to_string(table.size()) + " different keys");
      }
      return join(exec, kind, table, left, match, options);
    } else {
      throw InvalidArgument("hash_join: the strategy unique_keys needs integers as keys");
    }
  }

  [[nodiscard]] Pairs run_array() const {
    if constexpr (can_be_array) {
      return join(exec, kind, ArrayTable<Key, Memory, Row>(exec, right), left, match, options);
    } else {
      throw InvalidArgument("hash_join: the strategy array needs a view of integers as keys");
    }
  }
};

/// Hash and equality of keys where the caller names none.
template <class Keys>
using JoinHash = GroupHash<KeyOf<Keys>>;
template <class Keys>
using JoinEqual = GroupEqual<KeyOf<Keys>>;

}  // namespace detail

/// The row pairs of a join of two sides that are in no table yet: `left(i)` and `right(i)` number
/// rows of the sides, in no specified order, and `no_row` stands for what is not there. Keys are
/// views of them, key sources (see HashGraph) or `columns(...)`; nulls, NaNs and the condition as
/// in `join`. Sizes first, and allocates exactly the result; fences `exec`. The right side should
/// be the smaller one. Inputs are never modified.
///
/// `automatic` takes `array` where the right side's keys are integers less than 2^21 apart;
/// `look_up` where its table fits half of the cache that all threads share, or where a sample shows
/// eight rows a key or more; else `partitioned`. Sides that are joined again and again are better
/// put into a table, for `join`.
///
/// `partitioned` reads and writes each row once a pass of partitioning (two for 2^27 rows on a
/// GPU), 8 bytes with 32-bit keys and rows, reads it twice more, and makes no random access to
/// memory; temporary memory, of `workspace`: twice the records of both sides. The others: see
/// HashGraph, LinearProbing and ArrayTable.
///
/// Throws InvalidArgument where a strategy does not suit the keys, the kind or the condition, or
/// keys repeat under `unique_keys`, and CapacityError when the result exceeds
/// `options.memory_budget` or memory, or the rows the row type; nothing partial is returned.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Right, class Left,
          class Match, class Hash = detail::JoinHash<Right>, class Equal = detail::JoinEqual<Right>>
[[nodiscard]] auto hash_join(const Exec& exec, JoinKind kind, const Right& right, const Left& left,
                             const Match& match, const HashJoinOptions& options,
                             Workspace<typename Right::memory_space>& workspace,
                             const Hash& hash = {}, const Equal& equal = {}) {
  detail::require_accessible_table<Exec, typename Right::memory_space>();
  detail::require_accessible_queries<Exec, Left>();
  Kokkos::Profiling::ScopedRegion region("hashmill::hash_join");
  check_rows<Row>(0, right.size());
  check_rows<Row>(0, left.size());
  const auto right_keys = detail::join_keys(right);
  const auto left_keys = detail::join_keys(left);
  return detail::HashJoin<Row, Exec, std::decay_t<decltype(right_keys)>,
                          std::decay_t<decltype(left_keys)>, Match, Hash, Equal>{
      exec, kind, right_keys, left_keys, match, options, workspace, hash, equal}
      .run();
}

/// As above, with temporary memory of its own.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Right, class Left,
          class Match = EveryPair>
[[nodiscard]] auto hash_join(const Exec& exec, JoinKind kind, const Right& right, const Left& left,
                             const Match& match = {}, const HashJoinOptions& options = {}) {
  Workspace<typename Right::memory_space> workspace;
  return hash_join<Row>(exec, kind, right, left, match, options, workspace);
}

}  // namespace hashmill
