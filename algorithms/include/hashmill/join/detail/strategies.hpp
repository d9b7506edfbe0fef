#pragma once

#include <algorithm>
#include <hashmill/array_table.hpp>
#include <hashmill/hash_graph.hpp>
#include <hashmill/join/detail/filtered_join.hpp>
#include <hashmill/join/detail/intersect_plan.hpp>
#include <hashmill/join/detail/join_keys.hpp>
#include <hashmill/join/detail/packed_columns.hpp>
#include <hashmill/join/detail/partitioned_join.hpp>
#include <hashmill/join/detail/plan.hpp>
#include <hashmill/join/detail/side.hpp>
#include <hashmill/join/detail/tuple_join.hpp>
#include <hashmill/join/detail/write_row_pairs.hpp>
#include <hashmill/key_mode.hpp>
#include <hashmill/linear_probing.hpp>
#include <hashmill/tag_bucket.hpp>

namespace hashmill::detail {

/// The sides of a hash join, and how to carry it out by each strategy.
template <class Row, class Exec, class Right, class Left, class Match, class Hash, class Equal>
class HashJoin {
  using Key = KeyOf<Right>;
  using Memory = typename Right::memory_space;
  using Pairs = RowPairs<Row, Row, Memory>;
  static_assert(std::is_same_v<Key, KeyOf<Left>>);
  using Layout = std::conditional_t<key_travels<Key>, KeyRow<Row>, FingerprintRow<Row>>;
  template <class Keys>
  using Graph = HashGraph<Key, Memory, Layout, Hash, Equal, Keys>;
  static constexpr bool can_be_array = is_number_view<Right>;
  static constexpr bool takes_every_pair = std::is_same_v<Match, EveryPair>;
  /// Such keys are always partitioned, so that nothing else is compiled for them.
  static constexpr bool is_packed = is_packed_columns<Right>;

 public:
  const Exec& exec;
  JoinKind kind;
  const Right& right;
  const Left& left;
  const Match& match;
  const HashJoinOptions& options;
  Pairs* result;  ///< null where only the size is asked for
  Workspace<Memory>& workspace;
  Hash hash;
  Equal equal;

  /// The number of pairs, which are written where a result is asked for.
  std::uint64_t run() const {
    const JoinStrategy strategy =
        options.strategy == JoinStrategy::automatic ? choose() : options.strategy;
    const typename Workspace<Memory>::Frame frame(workspace);
    const bool is_filtered =
        strategy == JoinStrategy::look_up || strategy == JoinStrategy::partitioned;
    const Prefilter when = is_filtered ? options.prefilter : Prefilter::never;
    const auto passing =
        filter_left<Row>(exec, right, left, hash_at(hash, HashLevel::filter), when, workspace);
    if (!passing) return run_with(strategy, WholeLeft{left, match});
    using Queries = KeysOfRows<KeyAccess<Left>, Row, Memory>;
    const auto by_place = match_listed(match, passing->rows);
    const PassingLeft<Queries, std::decay_t<decltype(by_place)>> side{
        {key_access(left), passing->rows, passing->count}, by_place, *passing};
    if constexpr (!is_packed) {
      if (strategy != JoinStrategy::partitioned) return run_graph(side);
    }
    return run_partitioned(side);
  }

 private:
  /// The left side with all of its rows.
  struct WholeLeft {
    const Left& queries;
    const Match& match;
  };
  /// Those that a filter let through, by their places in a list.
  template <class Queries, class ByPlace>
  struct PassingLeft {
    Queries queries;
    ByPlace match;
    PassingRows<Row> passing;
  };

  [[nodiscard]] JoinStrategy choose() const {
    if constexpr (can_be_array) {
      if (key_range_below(exec, right, array_limit())) return JoinStrategy::array;
    }
    return prefers_look_up() ? JoinStrategy::look_up : JoinStrategy::partitioned;
  }
  /// CPUs compare eight keys of a part's table in one instruction where the keys travel as words,
  /// which wins at any size. Keys that stay in their columns are read at random in either strategy,
  /// but with `look_up` only those of the right side.
  [[nodiscard]] bool prefers_look_up() const {
    constexpr bool is_host = !backends::has_wide_teams<Exec>;
    if constexpr (is_host && !key_travels<Key>) {
      return true;
    } else if constexpr (is_host && sizeof(Key) <= sizeof(std::uint64_t)) {
      return false;
    } else {
      const std::uint64_t table_bytes = right.size() * (sizeof(Key) + 2 * sizeof(Row));
      return table_bytes <= backends::shared_cache_bytes(exec) / 2;
    }
  }
  /// Values up to which an array is taken: a larger one lies in a cache that cores share, or
  /// beyond, where its look-ups take as long as partitioning.
  [[nodiscard]] static std::uint64_t array_limit() {
    constexpr std::uint64_t most = KeyNormalizer<1>::array_limit;
    if constexpr (backends::has_wide_teams<Exec>) {
      return most;
    } else {
      return std::min<std::uint64_t>(most, 2 * backends::private_cache_bytes() / sizeof(Row));
    }
  }

  [[noreturn]] static void refuse(const char* strategy, const std::string& why) {
    throw InvalidArgument("hash_join: the strategy " + std::string(strategy) + " " + why);
  }
  void require_inner(const char* strategy) const {
    if (kind != JoinKind::inner) refuse(strategy, "gives inner joins only");
  }

  std::uint64_t run_with(JoinStrategy strategy, const WholeLeft& side) const {
    if constexpr (is_packed) {
      return run_partitioned(side);
    } else {
      switch (strategy) {
        case JoinStrategy::partitioned:
          return run_partitioned(side);
        case JoinStrategy::intersect:
          return run_intersect(side);
        case JoinStrategy::unique_keys:
          return run_unique(side);
        case JoinStrategy::array:
          return run_array(side);
        case JoinStrategy::npo:
          return run_tuples<NpoJoin>("npo", side);
        case JoinStrategy::pro:
          return run_tuples<ProJoin>("pro", side);
        case JoinStrategy::prh:
          return run_tuples<PrhJoin>("prh", side);
        case JoinStrategy::tag_bucket:
          return look_up(TagBucket<Key, Memory, Row, Hash, Equal, Right>(exec, right, {}, workspace,
                                                                         hash, equal),
                         side);
        default:
          return run_graph(side);
      }
    }
  }

  template <class Side>
  std::uint64_t run_graph(const Side& side) const {
    return look_up(Graph<Right>(exec, right, {}, workspace, hash, equal), side);
  }

  template <class Side>
  std::uint64_t run_partitioned(const Side& side) const {
    const Hash part_hash = own_hash(hash, HashLevel::parts);
    if constexpr (key_travels<Key> && takes_every_pair) {
      if (result == nullptr && kind == JoinKind::inner) {
        return partitioned_plan(counted_side(right, part_hash, equal),
                                counted_side(side.queries, part_hash, equal), EveryPair{}, {})
            .size();
      }
    }
    const auto right_side = join_side<Row>(right, part_hash, equal);
    const auto left_side =
        join_side<Row>(side.queries, part_hash, equal);  // with numbers among all
    const JoinWishes wishes{keeps_left(kind), keeps_right(kind), result != nullptr};
    return finish(partitioned_plan(right_side, left_side, match, wishes), side);
  }
  template <class RightSide, class LeftSide, class Condition>
  [[nodiscard]] auto partitioned_plan(const RightSide& right_side, const LeftSide& left_side,
                                      const Condition& condition, const JoinWishes& wishes) const {
    return PartitionedJoin<Exec, RightSide, LeftSide, Condition, Row, Memory>(
        exec, right_side, left_side, condition, wishes, workspace);
  }

  std::uint64_t run_intersect(const WholeLeft& side) const {
    if constexpr (takes_every_pair) {
      require_inner("intersect");
      const Graph<Right> table(exec, right, {}, workspace, hash, equal);
      HashGraphOptions same_range;
      same_range.buckets = BucketCount(table.num_buckets());
      const Graph<std::decay_t<decltype(side.queries)>> queries(exec, side.queries, same_range,
                                                                workspace, hash, equal);
      if (result == nullptr) return count_intersection(exec, queries, table);
      return finish(plan_intersect(exec, queries, table, workspace));
    } else {
      refuse("intersect", "takes no condition");
    }
  }

  /// One of the joins that CPUs are measured by.
  template <template <class, class, class> class JoinOf>
  std::uint64_t run_tuples(const char* strategy, const WholeLeft& side) const {
    if constexpr (!takes_every_pair) {
      refuse(strategy, "takes no condition");
    } else if constexpr (!suits_tuples<Exec, Right, Hash, Equal>()) {
      refuse(strategy, "needs integers of up to 8 bytes as keys, in a CPU's memory");
    } else {
      require_inner(strategy);
      return finish(
          TupleJoin<JoinOf, Exec, Right, Left, Hash>(exec, right, side.queries, result != nullptr,
                                                     own_hash(hash, HashLevel::parts), workspace));
    }
  }

  std::uint64_t run_unique(const WholeLeft& side) const {
    if constexpr (fits_slot<Key>) {
      const LinearProbing<Key, Memory, UniqueKeys, Row, Hash, Equal> table(exec, right, {},
                                                                           workspace, hash, equal);
      if (table.size() != right.size()) {
        refuse("unique_keys", "needs different keys, but " + std::to_string(right.size()) +
                                  " rows of the right side have " + std::to_string(table.size()));
      }
      return look_up(table, side);
    } else {
      refuse("unique_keys", "needs integers as keys");
    }
  }

  std::uint64_t run_array(const WholeLeft& side) const {
    if constexpr (can_be_array) {
      return look_up(ArrayTable<Key, Memory, Row>(exec, right), side);
    } else {
      refuse("array", "needs a view of integers as keys");
    }
  }

  /// Writes the pairs of a counted join where they are asked for.
  template <class Plan>
  std::uint64_t finish(const Plan& plan) const {
    if (result != nullptr) {
      write_row_pairs("hash_join", exec, plan, options, *result, workspace);
    }
    return plan.size();
  }

  /// The same with the left rows that are no longer in `side`.
  template <class Plan, class Side>
  std::uint64_t finish(const Plan& plan, const Side& side) const {
    if constexpr (std::is_same_v<Side, WholeLeft>) {
      return finish(plan);
    } else {
      return finish(FilteredJoin(plan, side.passing, keeps_left(kind), workspace));
    }
  }

  /// The join with a table of the right side, all of whose rows it has.
  template <class Table, class Side>
  std::uint64_t look_up(const Table& table, const Side& side) const {
    return finish(JoinPlan(exec, table, side.queries, side.match, keeps_left(kind),
                           keeps_right(kind), result != nullptr, workspace),
                  side);
  }
};

/// Hash and equality of keys where the caller names none.
template <class Keys>
using JoinHash = GroupHash<KeyOf<Keys>>;
template <class Keys>
using JoinEqual = GroupEqual<KeyOf<Keys>>;

/// Whether the sides' keys are integer columns that CPUs join as one word a row, which then travels
/// to its part: where the caller names neither hash nor equality.
template <class Exec, class Right, class Left, class Hash, class Equal>
inline constexpr bool packs_columns =
    !backends::has_wide_teams<Exec> && PackedSides<Right, Left>::fit &&
    std::is_same_v<Hash, RowHash> && std::is_same_v<Equal, RowEqual>;

/// Carries a hash join of keys as they are read out.
template <class Row, class Exec, class Right, class Left, class Match, class Pairs, class Memory,
          class Hash, class Equal>
std::uint64_t run_join_of(const Exec& exec, JoinKind kind, const Right& right, const Left& left,
                          const Match& match, const HashJoinOptions& options, Pairs* result,
                          Workspace<Memory>& workspace, const Hash& hash, const Equal& equal) {
  if constexpr (packs_columns<Exec, Right, Left, Hash, Equal>) {
    using Sides = PackedSides<Right, Left>;
    const bool has_nulls = any_can_be_null(right.list()) || any_can_be_null(left.list());
    if (options.strategy == JoinStrategy::automatic && !has_nulls) {
      return run_join_of<Row>(exec, kind, typename Sides::template Packed<Right>(right),
                              typename Sides::template Packed<Left>(left), match, options, result,
                              workspace, hash.of_number(), KeyEqual());
    }
  }
  const auto left_keys = left_keys_as<KeyOf<Right>>(left);
  return HashJoin<Row, Exec, Right, std::decay_t<decltype(left_keys)>, Match, Hash, Equal>{
      exec, kind, right, left_keys, match, options, result, workspace, hash, equal}
      .run();
}

/// Carries a hash join out: its number of pairs, which become `*result` unless that is null.
template <class Row, class Exec, class Right, class Left, class Match, class Pairs, class Memory,
          class Hash, class Equal>
std::uint64_t run_hash_join(const Exec& exec, JoinKind kind, const Right& right, const Left& left,
                            const Match& match, const HashJoinOptions& options, Pairs* result,
                            Workspace<Memory>& workspace, const Hash& hash, const Equal& equal) {
  require_condition<Match>();
  require_accessible_table<Exec, Memory>();
  require_accessible_queries<Exec, Right>();
  require_accessible_queries<Exec, Left>();
  check_rows<Row>(0, right.size());
  check_rows<Row>(0, left.size());
  using RightKey = KeyOf<Right>;
  using LeftKey = KeyOf<Left>;
  if constexpr (require_joinable<RightKey, LeftKey, Hash, Equal>()) {
    return run_join_of<Row>(exec, kind, join_keys<LeftKey, Hash, Equal>(right),
                            join_keys<RightKey, Hash, Equal>(left), match, options, result,
                            workspace, seeded_hash("hash_join", hash, options.seed), equal);
  } else {
    return 0;
  }
}

}  // namespace hashmill::detail
