#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace hashmill::backends {

/// The first of `count` elements in slice `i` of `slices` nearly equal slices, divided as a static
/// schedule does. For i = `slices`, `count`.
[[nodiscard]] KOKKOS_FUNCTION constexpr std::uint64_t slice_begin(std::uint64_t i,
                                                                  std::uint64_t slices,
                                                                  std::uint64_t count) {
  return count / slices * i + count % slices * i / slices;
}

}  // namespace hashmill::backends
