#pragma once

#include <hashmill/distributed_join/detail/agree_on_plan.hpp>
#include <hashmill/distributed_join/detail/join_request.hpp>
#include <hashmill/distributed_join/detail/replicated_flags.hpp>
#include <hashmill/distributed_join/detail/right_table.hpp>
#include <hashmill/join.hpp>

namespace hashmill::detail {

/// marks(i) = whether left row i has a match among right rows of this rank. Waits for `exec`.
template <class Request, class Left, class Right, class Marks>
void mark_rows(const Request& request, const Left& left, const Right& right, const Marks& marks) {
  using LeftKeys = typename Request::LeftKeys;
  using RightKeys = typename Request::RightKeys;
  constexpr bool as_numbers = joins_numbers<Left, LeftKeys, Right, RightKeys>;
  const bool nulls_equal = request.options.nulls_equal;
  const auto left_keys = key_of_columns<as_numbers>(left, LeftKeys(), nulls_equal);
  const auto right_keys = key_of_columns<as_numbers>(right, RightKeys(), nulls_equal);
  const auto table =
      right_table<as_numbers>(request.exec, right_keys, request.options.seed, request.workspace);
  mark_join(request.exec, left_keys, table, marks, request.condition(left, right));
}

/// Writes to marks(i) whether this rank's left row i has a match on any rank, where left rows have
/// been sent, in one round. Only marks come back. For left rows that all ranks have, they tell each
/// other which of them has one.
template <class Request, class Travelling, class Left, class Right, class Marks>
void mark_and_answer(const Request& request, const Travelling& sent, const RowsHere<Left>& left,
                     const Right& right, const Marks& marks) {
  using Memory = typename Request::MemorySpace;
  Kokkos::View<bool*, Memory> answers;
  ReplicatedFlags<Memory> found;
  const std::pair copies(left.replicated.begin, left.replicated.end);
  request.call.step("join", [&] {
    answers = backends::allocate<decltype(answers)>(request.exec, "hashmill::mark_join::answers",
                                                    length_of(std::get<0>(left.columns)));
    mark_rows(request, left.columns, right, answers);
    found.allocate(request.exec, left.replicated, false);
    Kokkos::deep_copy(request.exec, found.flags(), Kokkos::subview(answers, copies));
  });
  if (left.replicated.size() > 0) {
    found.combine(request.exec, request.ranks, request.call);
    request.call.step("join", [&] {
      Kokkos::deep_copy(request.exec, Kokkos::subview(answers, copies), found.flags());
    });
  }
  sent.answer(answers, marks);
}

/// marks(i) = whether this rank's left row i has a match on any rank.
template <class Request, class Marks>
void mark_by_plan(const Request& request, MovementPlan plan, const Marks& marks) {
  if (request.ranks.size() == 1) {
    request.call.step("join", [&] {
      mark_rows(request, request.left_at_home().columns, request.right_at_home().columns, marks);
    });
  } else if (plan.movement == JoinMovement::broadcast_right) {
    const auto right = request.broadcast(request.right).finish(0);
    request.call.step(
        "join", [&] { mark_rows(request, request.left_at_home().columns, right.columns, marks); });
  } else if (plan.movement == JoinMovement::broadcast_left) {
    auto left = request.broadcast(request.left);
    mark_and_answer(request, left, left.finish(0), request.right_at_home().columns, marks);
  } else {
    plan.rounds = 1;  // answers come back from one
    const auto routing = agree_on_routing(request, plan);
    auto right = request.send_right(routing);
    auto left = request.send_left(routing);
    const auto right_rows = right.finish(0);
    mark_and_answer(request, left, left.finish(0), right_rows.columns, marks);
  }
}

}  // namespace hashmill::detail
