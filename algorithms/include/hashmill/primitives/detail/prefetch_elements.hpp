#pragma once

#include <cstdint>
#include <hashmill/backends/streaming.hpp>
#include <hashmill/primitives/detail/key_access.hpp>

namespace hashmill::detail {

/// An array, or a column, whose element i lies at an address.
template <class Array>
concept HasAddress = requires(const Array& array) {
  array.address(std::uint64_t{});
};

/// For a host's loop that has come to elements [i, i + count): asks for those that it will come to
/// some batches later. Nothing where elements have no address, such as keys of several columns.
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
