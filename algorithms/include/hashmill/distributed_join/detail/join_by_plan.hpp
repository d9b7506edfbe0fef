#pragma once

#include <hashmill/distributed_join/detail/agree_on_plan.hpp>
#include <hashmill/distributed_join/detail/join_request.hpp>
#include <hashmill/distributed_join/detail/joined_rounds.hpp>
#include <hashmill/distributed_join/detail/unmatched_copies.hpp>

namespace hashmill::detail {

/// Joins rows of both sides on this rank, and calls `use(round)`, in steps of the call. Where all
/// ranks have rows that are kept without a partner, they tell each other which have one.
template <class Request, class Left, class Right, class Use>
void join_here(const Request& request, const RowsHere<Left>& left, const RowsHere<Right>& right,
               const Use& use) {
  using Owner = std::shared_ptr<const void>;
  JoinedRound<Left, Right, typename Request::MemorySpace> round{
      left.columns, right.columns, {}, nullptr};
  request.call.step("join", [&] {
    round.owner = std::make_shared<std::pair<Owner, Owner>>(left.owner, right.owner);
    round.pairs = join_pairs<typename Request::LeftKeys, typename Request::RightKeys>(
        request.exec, request.kind, left.columns, right.columns, request.condition, request.options,
        request.workspace, {left.cuts, right.cuts});
  });
  report_unmatched_once(request.exec, request.ranks, request.call, request.kind, left.replicated,
                        right.replicated, round.pairs, request.workspace);
  request.call.step("join", [&] { use(std::move(round)); });
}

/// Sends both sides to the ranks that own their keys, and joins each round while the next ones are
/// under way.
template <class Request, class Use>
void join_repartitioned(const Request& request, MovementPlan plan, const Use& use) {
  plan.any_order = !request.options.ordered;
  if (plan.any_order && request.goes_together) plan.cuts = num_cuts(plan, request.num_ranks());
  const auto routing = agree_on_routing(request, plan);
  auto right = request.send_right(routing);
  auto left = request.send_left(routing);
  for (std::size_t round = 0; round < routing.rounds(); ++round) {
    const auto right_round = right.finish(round);
    join_here(request, left.finish(round), right_round, use);
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
      join_here(request, request.left_at_home(), request.right_at_home(), use);
    });
  } else if (plan.movement == JoinMovement::broadcast_right) {
    by.template operator()<JoinedRound<LeftHome, RightSent, Memory>>([&](const auto& use) {
      const auto right = request.broadcast(request.right).finish(0);
      join_here(request, request.left_at_home(), right, use);
    });
  } else if (plan.movement == JoinMovement::broadcast_left) {
    by.template operator()<JoinedRound<LeftSent, RightHome, Memory>>([&](const auto& use) {
      const auto left = request.broadcast(request.left).finish(0);
      join_here(request, left, request.right_at_home(), use);
    });
  } else {
    by.template operator()<JoinedRound<LeftSent, RightSent, Memory>>(
        [&](const auto& use) { join_repartitioned(request, plan, use); });
  }
}

}  // namespace hashmill::detail
