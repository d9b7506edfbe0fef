#pragma once

#include <hashmill/backends/allocate.hpp>
#include <string>
#include <utility>

namespace hashmill::detail {

/// An array with room for `capacity` elements whose first `used` elements are those of `array`;
/// `array` itself if it has the room. Does not change `array`. Fences `exec` after a copy, since
/// the caller may then free the old array. Throws CapacityError as `backends::allocate` does.
template <class Array, class Exec>
[[nodiscard]] Array with_room(const Exec& exec, const std::string& label, const Array& array,
                              std::uint64_t used, std::uint64_t capacity) {
  if (array.size() >= capacity && array.data() != nullptr) return array;
  const auto larger = backends::allocate<Array>(exec, label, capacity);
  if (used != 0) {
    const auto in_use = std::make_pair(std::uint64_t{0}, used);
    Kokkos::deep_copy(exec, Kokkos::subview(larger, in_use), Kokkos::subview(array, in_use));
    exec.fence(label + ": the array copied may go");
  }
  return larger;
}

}  // namespace hashmill::detail
