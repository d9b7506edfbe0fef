#pragma once

#include <hashmill/distributed_join/detail/movement_plan.hpp>
#include <hashmill/distributed_join/detail/part_of_row.hpp>
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
      std::decay_t<decltype(std::declval<TravellingSide<Exec, Side>&>().finish(0).first)>;
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

  /// The columns of this rank's rows where they lie.
  [[nodiscard]] auto left_at_home() const { return local_columns<MemorySpace>(left.columns); }
  [[nodiscard]] auto right_at_home() const { return local_columns<MemorySpace>(right.columns); }
  /// Throws InvalidArgument where columns of a side differ in length. Part of a step.
  void check_columns() const {
    check_lengths("rows of the first left column", left);
    check_lengths("rows of the first right column", right);
  }

  /// Sends rows to the ranks that own their keys.
  [[nodiscard]] TravellingSide<Exec, Left> send_left(std::uint64_t rounds) const {
    return send<LeftKeys>(left, rounds);
  }
  [[nodiscard]] TravellingSide<Exec, Right> send_right(std::uint64_t rounds) const {
    return send<RightKeys>(right, rounds);
  }
  /// Sends all rows of a side to all ranks, and returns what arrives.
  template <class Side>
  [[nodiscard]] auto broadcast(const Side& side) const {
    const PartShape shape{num_ranks(), 1, true};
    TravellingSide<Exec, Side> travelling(exec, ranks, call, shape, OnePart{shape.part_for_all()},
                                          workspace, side);
    return travelling.finish(0);
  }

 private:
  [[nodiscard]] std::uint64_t num_ranks() const { return static_cast<std::uint64_t>(ranks.size()); }
  template <class Side>
  static void check_lengths(const char* name, const Side& side) {
    std::apply(
        [&](const auto& first, const auto&... columns) {
          (same_length("distributed_join", name, length_of(first), "rows of a column", columns),
           ...);
        },
        side.columns);
  }
  template <class KeyColumns, class Side>
  [[nodiscard]] TravellingSide<Exec, Side> send(const Side& side, std::uint64_t rounds) const {
    const auto keys = key_access(key_of_columns<has_numbers>(
        local_columns<MemorySpace>(side.columns), KeyColumns(), options.nulls_equal));
    using Keys = std::decay_t<decltype(keys)>;
    using Hash = GroupHash<KeyOf<Keys>>;
    const PartShape shape{num_ranks(), rounds};
    const PartOfKey<Keys, Hash> part_of{keys, Hash(options.seed), shape,
                                        static_cast<std::uint64_t>(ranks.rank())};
    return TravellingSide<Exec, Side>(exec, ranks, call, shape, part_of, workspace, side);
  }
};

/// Checks the columns, and makes a plan with the other ranks.
template <class Request>
[[nodiscard]] MovementPlan agree_on_movement(const Request& request) {
  MovementPlan plan{};
  request.call.step("check columns", [&] { request.check_columns(); });
  const JoinSizes sizes =
      agree_on_sizes(request.call, request.ranks.size(), request.left, request.right);
  request.call.step("plan", [&] {
    plan = plan_movement(request.options, request.kind, sizes,
                         static_cast<std::uint64_t>(request.ranks.size()));
  });
  request.call.agree("agree on a plan");
  return plan;
}

}  // namespace hashmill::detail
