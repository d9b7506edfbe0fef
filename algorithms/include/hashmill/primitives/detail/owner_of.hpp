#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace hashmill::detail {

/// Among ranges low to high - 1 that begin at `offsets`, the one that contains item k: the last
/// whose offset is not above k. The offset of `low` must not be above k.
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
