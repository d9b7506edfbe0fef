#pragma once

#include <hashmill/distributed_join/detail/agree_on_plan.hpp>
#include <hashmill/join.hpp>
#include <hashmill/row_table.hpp>

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
  const auto mark = [&](const auto& table) {
    mark_join(request.exec, left_keys, table, marks, request.condition(left, right));
  };
  if constexpr (as_numbers) {
    using Table = HashGraph<KeyOf<decltype(right_keys)>, typename Request::MemorySpace,
                            KeyRow<std::uint32_t>, Murmur3Hash>;
    mark(Table(request.exec, right_keys, {}, request.workspace, Murmur3Hash(request.options.seed)));
  } else {
    mark(row_table(request.exec, right_keys, {}, RowHash(request.options.seed)));
  }
}

/// marks(i) = whether this rank's left row i has a match on any rank. Left rows go to the ranks
/// that own their keys, and only marks come back; or the right rows go to all ranks.
template <class Request, class Marks>
void mark_by_plan(const Request& request, MovementPlan plan, const Marks& marks) {
  if (request.ranks.size() == 1) {
    request.call.step("join", [&] {
      mark_rows(request, request.left_at_home(), request.right_at_home(), marks);
    });
  } else if (plan.movement == JoinMovement::broadcast_right) {
    const auto right = request.broadcast(request.right);
    request.call.step("join",
                      [&] { mark_rows(request, request.left_at_home(), right.first, marks); });
  } else {
    plan.rounds = 1;  // answers come back from one
    const auto routing = agree_on_routing(request, plan);
    auto right = request.send_right(routing);
    auto left = request.send_left(routing);
    const auto right_rows = right.finish(0);
    const auto left_rows = left.finish(0);
    Kokkos::View<bool*, typename Request::MemorySpace> answers;
    request.call.step("join", [&] {
      answers = backends::allocate<decltype(answers)>(request.exec, "hashmill::mark_join::answers",
                                                      length_of(std::get<0>(left_rows.first)));
      mark_rows(request, left_rows.first, right_rows.first, answers);
    });
    left.answer(answers, marks);
  }
}

}  // namespace hashmill::detail
