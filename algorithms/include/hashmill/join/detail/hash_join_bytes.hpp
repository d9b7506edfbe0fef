#pragma once

#include <hashmill/hash_graph/detail/plan.hpp>
#include <hashmill/join/detail/filter_left.hpp>
#include <hashmill/join/detail/join_bytes.hpp>
#include <hashmill/join/detail/strategy_choice.hpp>

namespace hashmill::detail {

/// The layout of the HashGraphs that hash joins build.
template <class Row, class Key>
using JoinLayout = std::conditional_t<key_travels<Key>, KeyRow<Row>, FingerprintRow<Row>>;

/// The bytes that a hash join of sides of given sizes takes, by strategy.
template <class Row, JoinStrategy Strategy, class Exec, class Left, class Right, class Hash,
          class Equal>
class HashJoinBytes {
  using Choice = StrategyChoice<Row, Exec, Right, Equal>;
  template <class Keys>
  using Records = typename decltype(join_side<Row>(
      std::declval<const Keys&>(), std::declval<Hash>(), std::declval<Equal>()))::Records;
  using Table = TableLayout<JoinLayout<Row, KeyOf<Right>>, KeyOf<Right>, Hash, Equal, Right>;

 public:
  HashJoinBytes(const Exec& exec, const HashJoinOptions<Strategy>& options, const JoinSizes& sizes)
      : exec_(exec), options_(options), sizes_(sizes) {}

  /// All memory, with the result.
  [[nodiscard]] std::uint64_t peak() const {
    constexpr const char* what = "bytes of a join";
    constexpr std::uint64_t rounding = 512;  // Kokkos takes 128 bytes for an empty array
    const std::uint64_t pairs = sizes_.pairs;
    const std::uint64_t result = checked_multiply(pairs, 2 * sizeof(Row), what);
    const std::uint64_t ordering = options_.ordered ? ordering_bytes<Row>(exec_, pairs) : 0;
    return checked_add(of_strategy() + rounding, checked_add(result, ordering, what), what);
  }
  /// Workspace of a look-up in a HashGraph, its build included.
  [[nodiscard]] std::uint64_t looking_up() const { return std::max(building(), probing()); }

 private:
  /// Of the chosen strategy; where the keys decide, of the one that takes most.
  [[nodiscard]] std::uint64_t of_strategy() const {
    if constexpr (Strategy == JoinStrategy::automatic) {
      const std::uint64_t chosen = Choice::with_choice(
          exec_, sizes_.right_rows, [&](auto by) { return filtered<decltype(by)::value>(); });
      return Choice::can_be_array ? std::max(chosen, array(Choice::array_limit())) : chosen;
    } else if constexpr (Strategy == JoinStrategy::array) {
      return array(KeyNormalizer<1>::array_limit);
    } else {
      static_assert(Strategy == JoinStrategy::look_up || Strategy == JoinStrategy::partitioned,
                    "hashmill::hash_join_peak_bytes: the strategies automatic, look_up, "
                    "partitioned and array tell their bytes");
      return filtered<Strategy>();
    }
  }
  /// With a filter first, if there may be one.
  template <JoinStrategy By>
  [[nodiscard]] std::uint64_t filtered() const {
    const bool filters = options_.prefilter == Prefilter::always ||
                         (options_.prefilter == Prefilter::automatic &&
                          PrefilterRule::may_pay(sizes_.left_rows, sizes_.right_rows));
    const std::uint64_t filter =
        filters ? filtering_bytes<Row>(sizes_.left_rows, sizes_.right_rows) : 0;
    if constexpr (By == JoinStrategy::partitioned) {
      const auto bytes = partitioned_bytes<Records<Left>, Records<Right>, Row>(
          exec_, sizes_.left_rows, sizes_.right_rows);
      return checked_add(filter, filters ? bytes.in_pieces() : bytes.in_one_piece(), "join");
    } else {
      const std::uint64_t table = table_bytes<Table>(sizes_.right_rows, HashGraphOptions());
      return checked_add(filter + table, filters ? building() + probing() : looking_up(), "join");
    }
  }
  /// With an ArrayTable of a range of at most so many keys.
  [[nodiscard]] std::uint64_t array(std::uint64_t range) const {
    const std::uint64_t table =
        checked_bytes<Row>(checked_add(sizes_.right_rows, range, "array"), "array");
    return checked_add(table, probing(), "join");
  }
  [[nodiscard]] std::uint64_t building() const {
    return build_bytes<Table>(exec_, sizes_.right_rows, HashGraphOptions());
  }
  [[nodiscard]] std::uint64_t probing() const {
    return look_up_bytes(sizes_.left_rows, sizes_.right_rows);
  }

  const Exec& exec_;
  const HashJoinOptions<Strategy>& options_;
  JoinSizes sizes_;
};

}  // namespace hashmill::detail
