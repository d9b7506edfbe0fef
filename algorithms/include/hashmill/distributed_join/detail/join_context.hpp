#pragma once

#include <hashmill/distributed_join/detail/join_routing.hpp>
#include <hashmill/distributed_join/detail/travelling_side.hpp>
#include <hashmill/join_filter.hpp>

namespace hashmill::detail {

template <class Exec, class Columns>
inline constexpr bool columns_go_together = false;
template <class Exec, class... Columns>
inline constexpr bool columns_go_together<Exec, std::tuple<Columns...>> =
    go_together<Exec, Columns...>;

/// What the steps of a distributed join know of it, whether its rows come at once or in batches. It
/// refers to the caller's variables. `Left` and `Right` are sides of columns as a join reads them
/// where they lie.
template <class Exec, class Left, class Right, class Condition>
struct JoinContext {
  using MemorySpace = typename Exec::memory_space;
  using LeftKeys = typename Left::key_columns;
  using RightKeys = typename Right::key_columns;
  using LeftColumns = decltype(Left::columns);
  using RightColumns = decltype(Right::columns);
  /// Whether keys are numbers of one type; ranks are chosen by these.
  static constexpr bool has_numbers = joins_numbers<LeftColumns, LeftKeys, RightColumns, RightKeys>;
  using Filter = JoinFilterFor<decltype(key_of_columns<has_numbers>(
      std::declval<const RightColumns&>(), RightKeys(), false))>;
  using Routing = JoinRouting<MemorySpace, Filter>;

  const Exec& exec;
  const Communicator& ranks;
  CollectiveCall& call;
  JoinKind kind;
  const Condition& condition;
  const DistributedJoinOptions& options;
  Workspace<MemorySpace>& workspace;
  bool borrows = false;  ///< see Travel

  /// Whether a device brings all columns of a side into order together, on both sides.
  static constexpr bool goes_together =
      columns_go_together<Exec, LeftColumns> && columns_go_together<Exec, RightColumns>;

  [[nodiscard]] Travel travel(bool any_order = false) const {
    return {options.compression, options.levels, borrows, any_order};
  }
  [[nodiscard]] std::uint64_t num_ranks() const { return static_cast<std::uint64_t>(ranks.size()); }
  /// The keys of some rows, as both sides are compared.
  template <class Side>
  [[nodiscard]] auto keys_of(const Side& side) const {
    return key_of_columns<has_numbers>(local_columns<MemorySpace>(side.columns),
                                       typename Side::key_columns(), options.nulls_equal);
  }
  /// Sends rows to where their keys belong.
  template <class Side>
  [[nodiscard]] TravellingSide<Exec, Side> send(const Side& side, const Routing& routing,
                                                JoinSideName name) const {
    const auto keys = keys_of(side);
    RowRules rules = routing.rules(name, !has_numbers);
    Kokkos::View<bool*, MemorySpace> may_match;
    if (name == JoinSideName::left && routing.left_filter()) {
      call.step("filter", [&] {
        may_match = backends::allocate<decltype(may_match)>(
            exec, "hashmill::distributed_join::may_match", keys.size());
        routing.left_filter()->may_contain(exec, keys, may_match);
        rules.may_match = may_match.data();
      });
    }
    return TravellingSide<Exec, Side>(exec, ranks, call, rules.shape,
                                      PartOfRow{detail::routes_of(keys, options.seed), rules},
                                      travel(routing.any_order()), workspace, side);
  }
  /// Sends all rows of a side to all ranks, in one round.
  template <class Side>
  [[nodiscard]] TravellingSide<Exec, Side> broadcast(const Side& side) const {
    const PartShape shape{num_ranks(), 1, true};
    return TravellingSide<Exec, Side>(exec, ranks, call, shape, OnePart{shape.part_for_all()},
                                      travel(), workspace, side);
  }
};

}  // namespace hashmill::detail
