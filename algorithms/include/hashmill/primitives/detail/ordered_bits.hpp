#pragma once

#include <hashmill/key.hpp>
#include <hashmill/row_key.hpp>

namespace hashmill::detail {

inline constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;

/// Maps a number to 64 bits that compare as the numbers do, so that one atomic minimum serves all
/// types. NaN is above all numbers, as in DuckDB and PostgreSQL; -0.0 is 0.0.
template <class Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t ordered_bits(Value value) {
  const std::uint64_t bits = canonical_bits(value);
  if constexpr (std::is_floating_point_v<Value>) {
    return (bits & top_bit) != 0 ? ~bits : bits | top_bit;
  } else if constexpr (std::is_same_v<typename WidestOfKind<Value>::type, std::int64_t>) {
    return bits ^ top_bit;
  } else {
    return bits;
  }
}

/// The inverse of `ordered_bits`.
template <class Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value from_ordered_bits(std::uint64_t ordered) {
  if constexpr (std::is_floating_point_v<Value>) {
    const std::uint64_t bits = (ordered & top_bit) != 0 ? ordered & ~top_bit : ~ordered;
    return static_cast<Value>(__builtin_bit_cast(double, bits));
  } else if constexpr (std::is_same_v<typename WidestOfKind<Value>::type, std::int64_t>) {
    return static_cast<Value>(static_cast<std::int64_t>(ordered ^ top_bit));
  } else {
    return static_cast<Value>(ordered);
  }
}

}  // namespace hashmill::detail
