#pragma once

#include <hashmill/distributed_join/detail/filter_left_rows.hpp>
#include <hashmill/distributed_join/detail/sample_heavy.hpp>

namespace hashmill::detail {

/// Checks the columns, and makes a plan with the other ranks.
template <class Request>
[[nodiscard]] MovementPlan agree_on_movement(const Request& request) {
  MovementPlan plan{};
  request.call.step("check columns", [&] { request.check_columns(); });
  plan.totals = agree_on_totals(request);
  request.call.step(
      "plan", [&] { plan = plan_movement(request.options, plan.totals, request.num_ranks()); });
  request.call.agree("agree on a plan");
  return plan;
}

/// Plans where rows go, with the other ranks.
template <class Request>
[[nodiscard]] auto agree_on_routing(const Request& request, const MovementPlan& plan) {
  constexpr std::uint64_t least_rows = std::uint64_t{1} << 18;
  const DistributedJoinOptions& options = request.options;
  typename Request::Routing routing(request.kind, request.ranks, plan);
  const bool is_large = std::max(plan.totals.left_rows, plan.totals.right_rows) >= least_rows;
  if (options.heavy_keys == HeavyKeys::always ||
      (options.heavy_keys == HeavyKeys::automatic && is_large)) {
    HeavyRoutes heavy = agree_on_heavy(request);
    request.call.step("choose heavy keys",
                      [&] { routing.set_heavy(request.exec, std::move(heavy)); });
    request.call.agree("agree on heavy keys");  // they decide what ranks send each other
  }
  if (options.left_filter == Prefilter::always ||
      (options.left_filter == Prefilter::automatic &&
       LeftFilterRule::may_pay(plan.totals, request.num_ranks()))) {
    routing.set_left_filter(agree_on_left_filter(request, plan.totals.right_rows));
  }
  return routing;
}

}  // namespace hashmill::detail
