#pragma once

#include <hashmill/distributed_join/detail/agree_on_plan.hpp>
#include <hashmill/distributed_join/detail/joined_rounds.hpp>

namespace hashmill::detail {

/// Joins rows of both sides on this rank, and calls `use(round)`. A step of the call.
template <class Request, class Left, class Right, class Use>
void join_here(const Request& request, const Left& left, const Right& right,
               std::shared_ptr<const void> owner, const Use& use) {
  request.call.step("join", [&] {
    use(join_round<typename Request::LeftKeys, typename Request::RightKeys>(
        request.exec, request.kind, left, right, request.condition, request.options,
        request.workspace, std::move(owner)));
  });
}

/// Sends both sides to the ranks that own their keys, and joins each round while the next ones are
/// under way.
template <class Request, class Use>
void join_repartitioned(const Request& request, const MovementPlan& plan, const Use& use) {
  using Owner = std::shared_ptr<const void>;
  const auto routing = agree_on_routing(request, plan);
  auto right = request.send_right(routing);
  auto left = request.send_left(routing);
  for (std::size_t round = 0; round < routing.rounds(); ++round) {
    const auto right_round = right.finish(round);
    const auto left_round = left.finish(round);
    join_here(request, left_round.first, right_round.first,
              std::make_shared<std::pair<Owner, Owner>>(left_round.second, right_round.second),
              use);
  }
}

/// Joins both sides as `plan` says. Calls `by.operator()<Round>(join)` once. In it `join(use)`
/// calls `use(round)` for each round, of type `Round`.
template <class Request, class By>
void join_by_plan(const Request& request, const MovementPlan& plan, const By& by) {
  using Memory = typename Request::MemorySpace;
  using Left = std::decay_t<decltype(request.left)>;
  using Right = std::decay_t<decltype(request.right)>;
  using LeftHome = typename Request::template Home<Left>;
  using RightHome = typename Request::template Home<Right>;
  using LeftSent = typename Request::template Travelled<Left>;
  using RightSent = typename Request::template Travelled<Right>;
  if (request.ranks.size() == 1) {
    by.template operator()<JoinedRound<LeftHome, RightHome, Memory>>([&](const auto& use) {
      join_here(request, request.left_at_home(), request.right_at_home(), nullptr, use);
    });
  } else if (plan.movement == JoinMovement::broadcast_right) {
    by.template operator()<JoinedRound<LeftHome, RightSent, Memory>>([&](const auto& use) {
      const auto right = request.broadcast(request.right);
      join_here(request, request.left_at_home(), right.first, right.second, use);
    });
  } else if (plan.movement == JoinMovement::broadcast_left) {
    by.template operator()<JoinedRound<LeftSent, RightHome, Memory>>([&](const auto& use) {
      const auto left = request.broadcast(request.left);
      join_here(request, left.first, request.right_at_home(), left.second, use);
    });
  } else {
    by.template operator()<JoinedRound<LeftSent, RightSent, Memory>>(
        [&](const auto& use) { join_repartitioned(request, plan, use); });
  }
}

}  // namespace hashmill::detail
