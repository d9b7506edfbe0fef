#pragma once

#include <hashmill/join/detail/counted_join.hpp>
#include <hashmill/join/detail/order_pairs.hpp>
#include <hashmill/join/detail/write_joined.hpp>

namespace hashmill::detail {

/// Writes the row pairs of a counted join into `pairs`, in order if the options ask for it. Uses
/// the memory that `pairs` has if it suffices, else allocates exactly the result. Ordering takes
/// temporary memory of `workspace`. Waits for `exec`.
///
/// A plan in left order also gives the pairs without a left row in order.
template <class Pairs, class Exec, class Plan, class MemorySpace>
  requires CountedJoin<Plan, typename decltype(Pairs::left)::value_type>
void write_row_pairs(const char* operation, const Exec& exec, const Plan& plan,
                     const JoinOptions& options, Pairs& pairs, Workspace<MemorySpace>& workspace) {
  write_joined(operation, exec, plan, options, pairs);
  if (options.ordered) {
    order_pairs(exec, pairs.left.data(), pairs.right.data(), plan.num_found(), plan.in_left_order(),
                workspace);
    if (!plan.in_left_order()) {
      order_pairs(exec, pairs.right.data() + plan.num_found(), pairs.left.data() + plan.num_found(),
                  plan.size() - plan.num_found(), false, workspace);
    }
    exec.fence("hashmill::join: results are handed to the caller");
  }
}

}  // namespace hashmill::detail
