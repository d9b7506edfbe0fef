#pragma once

#include <hashmill/capacity.hpp>
#include <hashmill/distributed_join/detail/local_columns.hpp>
#include <hashmill/distributed_join/join_side.hpp>
#include <hashmill/distributed_join/joined.hpp>
#include <hashmill/distributed_join/options.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/primitives/detail/pick_column.hpp>
#include <memory>
#include <vector>

namespace hashmill::detail {

/// Rows of both sides that were joined with each other on this rank, and the pairs found. `Left`
/// and `Right` are tuples of local columns, whose memory `owner` keeps if it is not the caller's.
template <class Left, class Right, class MemorySpace>
struct JoinedRound {
  Left left;
  Right right;
  RowPairs<std::uint32_t, std::uint32_t, MemorySpace> pairs;
  std::shared_ptr<const void> owner;
};

/// Column `I` of a side, picked from all rounds. `side(round)` is a pair of its columns and of the
/// rows of the pairs.
template <std::size_t I, class Exec, class Rounds, class SideOf>
[[nodiscard]] auto pick_from_rounds(const Exec& exec, const Rounds& rounds, const SideOf& side,
                                    const std::vector<std::uint64_t>& begins, bool has_strangers,
                                    Workspace<typename Exec::memory_space>& workspace) {
  using Access = std::decay_t<decltype(key_access(std::get<I>(side(rounds.front()).first)))>;
  std::vector<PickedPart<Access, std::uint32_t>> parts;
  bool may_be_null = has_strangers;
  for (const auto& round : rounds) {
    const auto& [columns, rows] = side(round);
    const auto& column = std::get<I>(columns);
    may_be_null = may_be_null || may_have_nulls(column);
    parts.push_back({key_access(column), rows.data()});
  }
  return pick_column(exec, parts, begins, may_be_null, workspace);
}

/// The rows that joined rounds, at least one, give: their pairs with the columns of both sides.
/// Waits for `exec`.
template <class Exec, class Left, class Right, class Memory>
[[nodiscard]] auto join_columns(const Exec& exec, JoinKind kind,
                                const std::vector<JoinedRound<Left, Right, Memory>>& rounds,
                                Workspace<Memory>& workspace) {
  std::vector<std::uint64_t> begins{0};
  for (const auto& round : rounds) begins.push_back(begins.back() + round.pairs.size());
  const auto pick = [&]<std::size_t... Is>(std::index_sequence<Is...>, const auto& side,
                                           bool has_strangers) {
    return std::tuple(
        pick_from_rounds<Is>(exec, rounds, side, begins, has_strangers, workspace)...);
  };
  const auto left_of = [](const auto& round) { return std::pair(round.left, round.pairs.left); };
  const auto right_of = [](const auto& round) { return std::pair(round.right, round.pairs.right); };
  auto left = pick(std::make_index_sequence<std::tuple_size_v<Left>>(), left_of, keeps_right(kind));
  auto right =
      pick(std::make_index_sequence<std::tuple_size_v<Right>>(), right_of, keeps_left(kind));
  return Joined<decltype(left), decltype(right)>{std::move(left), std::move(right), begins.back()};
}

/// Those of one round.
template <class Exec, class Left, class Right, class Memory>
[[nodiscard]] auto join_columns(const Exec& exec, JoinKind kind,
                                JoinedRound<Left, Right, Memory> round,
                                Workspace<Memory>& workspace) {
  std::vector<JoinedRound<Left, Right, Memory>> one;
  one.push_back(std::move(round));
  return join_columns(exec, kind, one, workspace);
}

/// The type in which a column of a result is returned.
template <class MemorySpace, class Column>
using PickedColumn =
    std::conditional_t<std::is_same_v<KeyOf<Column>, StringView>, OwnedStrings<MemorySpace>,
                       OwnedColumn<KeyOf<Column>, MemorySpace>>;
template <class MemorySpace, class Side>
struct PickedColumns;
template <class MemorySpace, class KeyColumns, class... Columns>
struct PickedColumns<MemorySpace, JoinSide<KeyColumns, Columns...>> {
  using type = std::tuple<PickedColumn<MemorySpace, Columns>...>;
};
/// The result of a join of two sides.
template <class MemorySpace, class Left, class Right>
using JoinedOf = Joined<typename PickedColumns<MemorySpace, Left>::type,
                        typename PickedColumns<MemorySpace, Right>::type>;

/// The pairs of rows of both sides that lie on this rank, perhaps in `parts`. Waits for `exec`.
template <class LeftKeys, class RightKeys, class Exec, class Left, class Right, class Condition,
          class Memory>
[[nodiscard]] auto join_pairs(const Exec& exec, JoinKind kind, const Left& left, const Right& right,
                              const Condition& condition, const DistributedJoinOptions& options,
                              Workspace<Memory>& workspace, const SidesInParts& parts = {}) {
  constexpr bool as_numbers = joins_numbers<Left, LeftKeys, Right, RightKeys>;
  const auto left_keys = key_of_columns<as_numbers>(left, LeftKeys(), options.nulls_equal);
  const auto right_keys = key_of_columns<as_numbers>(right, RightKeys(), options.nulls_equal);
  const auto match = condition(left, right);
  using LeftSide = std::decay_t<decltype(left_keys)>;
  using RightSide = std::decay_t<decltype(right_keys)>;
  RowPairs<std::uint32_t, std::uint32_t, Memory> pairs;
  static_cast<void>(run_hash_join<std::uint32_t>(
      JoinRequest{exec, kind, left_keys, right_keys, match, DefaultHash<LeftSide, RightSide>(),
                  DefaultEqual<LeftSide, RightSide>(), parts},
      static_cast<const HashJoinOptions<>&>(options), &pairs, workspace));
  return pairs;
}

}  // namespace hashmill::detail
