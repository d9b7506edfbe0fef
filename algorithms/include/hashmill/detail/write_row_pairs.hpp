#pragma once

#include <hashmill/detail/order_pairs.hpp>
#include <hashmill/detail/write_joined.hpp>

namespace hashmill::detail {

/// The row pairs of a join that was counted, in order where the options ask for it: allocates
/// exactly them, and to order them temporary memory of `workspace`. Waits for `exec`.
template <class Pairs, class Exec, class Plan, class MemorySpace>
[[nodiscard]] Pairs write_row_pairs(const char* operation, const Exec& exec, const Plan& plan,
                                    const JoinOptions& options, Workspace<MemorySpace>& workspace) {
  const Pairs pairs = write_joined<Pairs>(operation, exec, plan, options);
  if (options.ordered) {
    order_pairs(exec, pairs.left.data(), pairs.right.data(), plan.num_found(), plan.in_left_order(),
                workspace);
    exec.fence("hashmill::join: results are handed to the caller");
  }
  return pairs;
}

}  // namespace hashmill::detail
