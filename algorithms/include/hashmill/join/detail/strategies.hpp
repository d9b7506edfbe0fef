#pragma once

#include <algorithm>
#include <hashmill/array_table.hpp>
#include <hashmill/hash_graph.hpp>
#include <hashmill/join/detail/counted_join.hpp>
#include <hashmill/join/detail/filtered_join.hpp>
#include <hashmill/join/detail/hash_join_bytes.hpp>
#include <hashmill/join/detail/intersect_plan.hpp>
#include <hashmill/join/detail/join_keys.hpp>
#include <hashmill/join/detail/join_request.hpp>
#include <hashmill/join/detail/packed_columns.hpp>
#include <hashmill/join/detail/partitioned_join.hpp>
#include <hashmill/join/detail/plan.hpp>
#include <hashmill/join/detail/side.hpp>
#include <hashmill/join/detail/write_row_pairs.hpp>
#include <hashmill/key_mode.hpp>
#include <hashmill/linear_probing.hpp>
#include <hashmill/tag_bucket.hpp>
#include <optional>

namespace hashmill::detail {

/// Carries out a hash join by one strategy. For `automatic`, that is one of those that suit keys of
/// this type. No other strategy is compiled.
template <class Row, JoinStrategy Strategy, class Exec, class Left, class Right, class Match,
          class Hash, class Equal>
class HashJoin {
  using Key = KeyOf<Right>;
  using Memory = typename Right::memory_space;
  using Pairs = RowPairs<Row, Row, Memory>;
  static_assert(std::is_same_v<Key, KeyOf<Left>>);
  template <class Keys>
  using Graph = HashGraph<Key, Memory, JoinLayout<Row, Key>, Hash, Equal, Keys>;
  using Choice = StrategyChoice<Row, Exec, Right, Equal>;
  static constexpr bool takes_every_pair = std::is_same_v<Match, EveryPair>;

 public:
  using Request = JoinRequest<Exec, Left, Right, Match, Hash, Equal>;

  /// `result`: where pairs are written, or null if only their number is asked for.
  HashJoin(const Request& request, const HashJoinOptions<Strategy>& options, Pairs* result,
           Workspace<Memory>& workspace)
      : request_(request), options_(options), result_(result), workspace_(workspace) {}

  /// Returns the number of pairs. Writes them if a result is asked for.
  std::uint64_t run() const {
    const typename Workspace<Memory>::Frame frame(workspace_);
    if constexpr (Strategy == JoinStrategy::automatic) {
      return run_automatic();
    } else if constexpr (Strategy == JoinStrategy::look_up ||
                         Strategy == JoinStrategy::partitioned) {
      return run_filtered<Strategy>();
    } else if constexpr (Strategy == JoinStrategy::intersect) {
      return run_intersect();
    } else if constexpr (Strategy == JoinStrategy::unique_keys) {
      return run_unique();
    } else if constexpr (Strategy == JoinStrategy::tag_bucket) {
      return look_up(TagBucket<Key, Memory, Row, Hash, Equal, Right>(
                         exec(), right(), {}, workspace_, request_.hash, request_.equal),
                     all_left());
    } else {
      return run_array({});
    }
  }

  /// The bytes of a join of such sides, of these sizes. Reads no row.
  [[nodiscard]] HashJoinBytes<Row, Strategy, Exec, Left, Right, Hash, Equal> bytes(
      const JoinSizes& sizes) const {
    return {exec(), options_, sizes};
  }

 private:
  /// The left side with all of its rows, as a query per row.
  struct WholeLeft {
    const Left& queries;
    const Match& match;
  };
  /// The left rows that a filter let through, as places in a list.
  template <class Queries, class ByPlace>
  struct PassingLeft {
    Queries queries;
    ByPlace match;
    PassingRows<Row> passing;
  };

  [[nodiscard]] const Exec& exec() const { return request_.exec; }
  [[nodiscard]] const Left& left() const { return request_.left; }
  [[nodiscard]] const Right& right() const { return request_.right; }
  [[nodiscard]] WholeLeft all_left() const { return {left(), request_.match}; }

  std::uint64_t run_automatic() const {
    if (request_.parts.exist()) return run_filtered<JoinStrategy::partitioned>();
    if constexpr (Choice::can_be_array) {
      if (const auto range = key_range_below(exec(), right(), Choice::array_limit())) {
        return run_array(range);
      }
    }
    return Choice::with_choice(exec(), right().size(),
                               [&](auto by) { return run_filtered<decltype(by)::value>(); });
  }

  [[noreturn]] static void refuse(const char* strategy, const std::string& why) {
    throw InvalidArgument("hash_join: the strategy " + std::string(strategy) + " " + why);
  }

  /// Runs `look_up` or `partitioned`, with the left rows that a filter lets through if that pays.
  template <JoinStrategy By>
  std::uint64_t run_filtered() const {
    if constexpr (By == JoinStrategy::partitioned) {  // parts are of all rows
      if (request_.parts.exist()) return run_partitioned(all_left());
    }
    const auto passing = filter_left<Row, Choice::by_value>(
        exec(), left(), right(), hash_at(request_.hash, HashLevel::filter), options_.prefilter,
        workspace_);
    if (!passing) return run_by<By>(all_left());
    using Queries = KeysAt<KeyAccess<Left>, ListedRows<Row>, Memory>;
    const auto by_place = match_listed(request_.match, passing->rows);
    return run_by<By>(PassingLeft<Queries, std::decay_t<decltype(by_place)>>{
        {key_access(left()), {passing->rows}, passing->count}, by_place, *passing});
  }
  template <JoinStrategy By, class Side>
  std::uint64_t run_by(const Side& side) const {
    if constexpr (By == JoinStrategy::partitioned) {
      return run_partitioned(side);
    } else {
      workspace_.reserve(exec(), bytes({left().size(), right().size()}).looking_up());
      return look_up(Graph<Right>(exec(), right(), {}, workspace_, request_.hash, request_.equal),
                     side);
    }
  }

  template <class Side>
  std::uint64_t run_partitioned(const Side& side) const {
    const Hash part_hash = own_hash(request_.hash, HashLevel::parts);
    const Equal& equal = request_.equal;
    if constexpr (key_travels<Key> && takes_every_pair) {
      if (result_ == nullptr && request_.kind == JoinKind::inner) {
        return partitioned(counted_side(side.queries, part_hash, equal),
                           counted_side(right(), part_hash, equal), EveryPair{}, {})
            .size();
      }
    }
    const JoinWishes wishes{keeps_left(request_.kind), keeps_right(request_.kind),
                            result_ != nullptr};
    return finish(partitioned(join_side<Row>(side.queries, part_hash, equal),
                              join_side<Row>(right(), part_hash, equal), request_.match, wishes),
                  side);
  }
  template <class LeftSide, class RightSide, class Condition>
  [[nodiscard]] auto partitioned(const LeftSide& left_side, const RightSide& right_side,
                                 const Condition& condition, const JoinWishes& wishes) const {
    return PartitionedJoin<Exec, typename LeftSide::Records, typename RightSide::Records, Condition,
                           Row, Memory>(exec(), left_side, right_side, request_.parts, condition,
                                        wishes, workspace_);
  }

  std::uint64_t run_intersect() const {
    if constexpr (takes_every_pair) {
      if (request_.kind != JoinKind::inner) refuse("intersect", "gives inner joins only");
      const Graph<Right> table(exec(), right(), {}, workspace_, request_.hash, request_.equal);
      HashGraphOptions same_range;
      same_range.buckets = BucketCount(table.num_buckets());
      const Graph<Left> queries(exec(), left(), same_range, workspace_, request_.hash,
                                request_.equal);
      if (result_ == nullptr) return count_intersection(exec(), queries, table);
      return finish(plan_intersect(exec(), queries, table, workspace_));
    } else {
      refuse("intersect", "takes no condition");
    }
  }

  std::uint64_t run_unique() const {
    if constexpr (fits_slot<Key>) {
      const LinearProbing<Key, Memory, UniqueKeys, Row, Hash, Equal> table(
          exec(), right(), {}, workspace_, request_.hash, request_.equal);
      if (table.size() != right().size()) {
        refuse("unique_keys", "needs different keys, but " + std::to_string(right().size()) +
                                  " rows of the right side have " + std::to_string(table.size()));
      }
      return look_up(table, all_left());
    } else {
      refuse("unique_keys", "needs integers as keys");
    }
  }

  /// `range`: the range of the right side's keys, if it has been read.
  std::uint64_t run_array(const std::optional<KeyRange>& range) const {
    if constexpr (Choice::can_be_array) {
      using Table = ArrayTable<Key, Memory, Row>;
      return look_up(range ? Table(exec(), right(), FoundRange{*range}) : Table(exec(), right()),
                     all_left());
    } else {
      refuse("array", "needs a view of integers as keys, compared by KeyEqual");
    }
  }

  /// Writes the pairs of a counted join if they are asked for. Returns their number.
  template <CountedJoin<Row> Plan>
  std::uint64_t finish(const Plan& plan) const {
    if (result_ != nullptr) {
      write_row_pairs("hash_join", exec(), plan, options_, *result_, workspace_);
    }
    return plan.size();
  }

  /// The same, completed by the left rows that a filter has dropped from `side`.
  template <CountedJoinOfSome<Row> Plan, class Side>
  std::uint64_t finish(const Plan& plan, const Side& side) const {
    if constexpr (std::is_same_v<Side, WholeLeft>) {
      return finish(plan);
    } else {
      return finish(FilteredJoin(plan, side.passing, keeps_left(request_.kind), workspace_));
    }
  }

  /// Joins with a table that has all rows of the right side.
  template <class Table, class Side>
  std::uint64_t look_up(const Table& table, const Side& side) const {
    return finish(JoinPlan(exec(), side.queries, table, side.match, keeps_left(request_.kind),
                           keeps_right(request_.kind), result_ != nullptr, workspace_),
                  side);
  }

  const Request& request_;
  const HashJoinOptions<Strategy>& options_;
  Pairs* result_;
  Workspace<Memory>& workspace_;
};

}  // namespace hashmill::detail
