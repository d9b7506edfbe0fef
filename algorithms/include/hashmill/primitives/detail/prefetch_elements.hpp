#pragma once

#include <cstdint>
#include <hashmill/backends/streaming.hpp>
#include <hashmill/primitives/detail/key_access.hpp>

namespace hashmill::detail {

/// An array, or a column, whose element i has an address.
template <class Array>
concept HasAddress = requires(const Array& array) {
  array.address(std::uint64_t{});
};

/// For a host's loop that has reached elements [i, i + count): prefetches the elements that it will
/// reach some batches later. Does nothing where elements have no address, such as keys of several
/// columns.
template <class Array>
void prefetch_elements(const Array& array, std::uint64_t i, std::uint64_t count) {
  if constexpr (HasAddress<Array>) {
    const auto* const first = array.address(i);
    backends::prefetch_stream(first, count * sizeof(*first));
  } else if constexpr (is_contiguous_view<Array>) {
    backends::prefetch_stream(array.data() + i, count * sizeof(*array.data()));
  }
}

}  // namespace hashmill::detail
