#pragma once

#include <hashmill/distributed_join/detail/join_routing.hpp>
#include <hashmill/distributed_join/detail/movement_plan.hpp>
#include <hashmill/distributed_join/detail/travelling_side.hpp>

namespace hashmill::detail {

/// What is joined, as the steps of a distributed join pass it on. It refers to the caller's
/// variables.
template <class Exec, class Left, class Right, class Condition>
struct DistributedJoinRequest {
  using MemorySpace = typename Exec::memory_space;
  using LeftKeys = typename Left::key_columns;
  using RightKeys = typename Right::key_columns;
  /// The columns of a side where its rows lie, and those that travelled.
  template <class Side>
  using Home = decltype(local_columns<MemorySpace>(std::declval<const Side&>().columns));
  template <class Side>
  using Travelled =
      std::decay_t<decltype(std::declval<TravellingSide<Exec, Side>&>().finish(0).columns)>;
  /// Whether keys are numbers of one type, where the rows lie; ranks are chosen by these.
  static constexpr bool has_numbers = joins_numbers<Home<Left>, LeftKeys, Home<Right>, RightKeys>;

  const Exec& exec;
  const Communicator& ranks;
  CollectiveCall& call;
  JoinKind kind;
  const Left& left;
  const Right& right;
  const Condition& condition;
  const DistributedJoinOptions& options;
  Workspace<MemorySpace>& workspace;

  /// This rank's rows where they lie.
  [[nodiscard]] auto left_at_home() const {
    return RowsHere<Home<Left>>{local_columns<MemorySpace>(left.columns)};
  }
  [[nodiscard]] auto right_at_home() const {
    return RowsHere<Home<Right>>{local_columns<MemorySpace>(right.columns)};
  }
  /// Throws InvalidArgument where columns of a side differ in length. Part of a step.
  void check_columns() const {
    require_equal_lengths("distributed_join", left.columns);
    require_equal_lengths("distributed_join", right.columns);
  }

  /// The number of this rank's rows.
  [[nodiscard]] std::uint64_t left_rows() const { return length_of(std::get<0>(left.columns)); }
  [[nodiscard]] std::uint64_t right_rows() const { return length_of(std::get<0>(right.columns)); }
  /// The keys of these rows, as both sides are compared.
  [[nodiscard]] auto left_keys() const { return keys_of<LeftKeys>(left); }
  [[nodiscard]] auto right_keys() const { return keys_of<RightKeys>(right); }
  /// The routes of these keys, for kernels.
  [[nodiscard]] auto left_routes() const { return routes_of(left_keys()); }
  [[nodiscard]] auto right_routes() const { return routes_of(right_keys()); }

  /// Sends rows to where their keys belong.
  [[nodiscard]] TravellingSide<Exec, Left> send_left(
      const JoinRouting<MemorySpace>& routing) const {
    return send(left, left_routes(), routing, JoinRouting<MemorySpace>::SideName::left);
  }
  [[nodiscard]] TravellingSide<Exec, Right> send_right(
      const JoinRouting<MemorySpace>& routing) const {
    return send(right, right_routes(), routing, JoinRouting<MemorySpace>::SideName::right);
  }
  /// Sends all rows of a side to all ranks, in one round.
  template <class Side>
  [[nodiscard]] TravellingSide<Exec, Side> broadcast(const Side& side) const {
    const PartShape shape{num_ranks(), 1, true};
    return TravellingSide<Exec, Side>(exec, ranks, call, shape, OnePart{shape.part_for_all()},
                                      workspace, side);
  }

 private:
  [[nodiscard]] std::uint64_t num_ranks() const { return static_cast<std::uint64_t>(ranks.size()); }
  template <class KeyColumns, class Side>
  [[nodiscard]] auto keys_of(const Side& side) const {
    return key_of_columns<has_numbers>(local_columns<MemorySpace>(side.columns), KeyColumns(),
                                       options.nulls_equal);
  }
  template <class Keys>
  [[nodiscard]] auto routes_of(const Keys& keys) const {
    using Hash = GroupHash<KeyOf<Keys>>;
    return RouteOfRow<KeyAccess<Keys>, Hash>{key_access(keys), Hash(options.seed)};
  }
  template <class Side, class Routes>
  [[nodiscard]] TravellingSide<Exec, Side> send(
      const Side& side, const Routes& routes, const JoinRouting<MemorySpace>& routing,
      typename JoinRouting<MemorySpace>::SideName name) const {
    const RowRules rules = routing.rules(name, !has_numbers);
    return TravellingSide<Exec, Side>(exec, ranks, call, rules.shape, PartOfRow{routes, rules},
                                      workspace, side);
  }
};

}  // namespace hashmill::detail
