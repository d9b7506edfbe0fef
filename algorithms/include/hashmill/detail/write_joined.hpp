#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/detail/memory_budget.hpp>

namespace hashmill::detail {

/// The two columns of a join that was counted: allocates exactly them. Waits for `exec`.
template <class Joined, class Exec, class Plan>
[[nodiscard]] Joined write_joined(const char* operation, const Exec& exec, const Plan& plan,
                                  const JoinOptions& options) {
  using Left = decltype(Joined::left);
  using Right = decltype(Joined::right);
  constexpr std::uint64_t pair_bytes =
      sizeof(typename Left::value_type) + sizeof(typename Right::value_type);
  const std::uint64_t size = plan.size();
  check_budget(operation, checked_multiply(size, pair_bytes, "bytes of a join"), size, options);
  Joined joined;
  joined.left = backends::allocate<Left>(exec, "hashmill::join::left", size);
  joined.right = backends::allocate<Right>(exec, "hashmill::join::right", size);
  plan.write(joined.left.data(), joined.right.data());
  exec.fence("hashmill::join: results are handed to the caller");
  return joined;
}

}  // namespace hashmill::detail
