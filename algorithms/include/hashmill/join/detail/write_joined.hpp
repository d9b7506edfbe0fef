#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/join/detail/memory_budget.hpp>

namespace hashmill::detail {

/// Writes the two columns of a counted join into `joined`. Uses the memory that `joined` has if it
/// suffices, else allocates exactly the result. Throws CapacityError above the budget. Waits for
/// `exec`.
template <class Joined, class Exec, class Plan>
void write_joined(const char* operation, const Exec& exec, const Plan& plan,
                  const JoinOptions& options, Joined& joined) {
  using Left = decltype(Joined::left);
  using Right = decltype(Joined::right);
  constexpr std::uint64_t pair_bytes =
      sizeof(typename Left::value_type) + sizeof(typename Right::value_type);
  const std::uint64_t size = plan.size();
  check_budget(operation, checked_multiply(size, pair_bytes, "bytes of a join"), size, options);
  joined.left = backends::fitted(exec, joined.left, size, "hashmill::join::left");
  joined.right = backends::fitted(exec, joined.right, size, "hashmill::join::right");
  plan.write(joined.left.data(), joined.right.data());
  exec.fence("hashmill::join: results are handed to the caller");
}

}  // namespace hashmill::detail
