#pragma once

#include <Kokkos_Macros.hpp>
#include <type_traits>

namespace hashmill::detail {

/// Among ranges low to high - 1 that begin at `offsets`, the one that contains item k: the last
/// whose offset is not above k. The offset of `low` must not be above k.
template <class Offset>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset owner_of(const Offset* offsets,
                                                          std::type_identity_t<Offset> k,
                                                          std::type_identity_t<Offset> low,
                                                          std::type_identity_t<Offset> high) {
  while (high - low > 1) {  // invariant: offsets[low] <= k, and offsets[high] > k or high is last
    const Offset middle = (low + high) / 2;
    (offsets[middle] <= k ? low : high) = middle;
  }
  return low;
}

}  // namespace hashmill::detail
