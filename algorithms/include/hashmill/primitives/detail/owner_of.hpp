#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace hashmill::detail {

/// Which of the ranges in [low, high) has item k, of ranges that begin at `offsets`: the last whose
/// offset is not above k. That of `low` must not be.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t owner_of(const std::uint64_t* offsets,
                                                                 std::uint64_t k, std::uint64_t low,
                                                                 std::uint64_t high) {
  while (high - low > 1) {  // invariant: offsets[low] <= k, and offsets[high] > k or high is last
    const std::uint64_t middle = (low + high) / 2;
    (offsets[middle] <= k ? low : high) = middle;
  }
  return low;
}

}  // namespace hashmill::detail
