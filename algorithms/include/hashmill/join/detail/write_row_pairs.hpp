#pragma once

#include <hashmill/join/detail/counted_join.hpp>
#include <hashmill/join/detail/order_pairs.hpp>
#include <hashmill/join/detail/write_joined.hpp>

namespace hashmill::detail {

/// The row pairs of a join that was counted, in order where the options ask for it: in the memory
/// of `pairs` where that is enough, else allocated exactly; to order them temporary memory of
/// `workspace`. Waits for `exec`. A plan in left order gives rows without a left row in order too.
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
