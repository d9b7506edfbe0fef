#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

// Properties of floating-point numbers, read from their bits. Under -ffast-math or
// -ffinite-math-only the compiler assumes that no number is NaN or infinite, and drops comparisons
// that would tell. Under -ffast-math, moreover, the processor takes denormal numbers for zero, and
// the compiler may reorder sums.

namespace hashmill::detail {

/// The bits of a double.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t double_bits(
    double value) noexcept {
  return __builtin_bit_cast(std::uint64_t, value);
}
/// The bits of the double of the same value; denormal floats become normal doubles.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t double_bits(
    float value) noexcept {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  constexpr std::uint32_t least_normal = 0x00800000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude == 0 || magnitude >= least_normal) return double_bits(static_cast<double>(value));
  const std::uint64_t sign = bits >> 31;
  return double_bits(static_cast<double>(magnitude) * 0x1p-149) | sign << 63;
}

/// Whether the number is NaN.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_nan(double value) noexcept {
  constexpr std::uint64_t infinity = 0x7ff0000000000000, no_sign = 0x7fffffffffffffff;
  return (double_bits(value) & no_sign) > infinity;
}

/// Whether `least` <= `value` <= `most`, which NaN never satisfies. `least` must not be below 0.
[[nodiscard]] constexpr bool is_within(double value, double least, double most) noexcept {
  constexpr std::uint64_t negative_zero = std::uint64_t{1} << 63;
  // From 0 on, numbers compare as their bits do. Numbers below 0, and NaN, have higher bits.
  const std::uint64_t bits = double_bits(value) == negative_zero ? 0 : double_bits(value);
  return bits >= double_bits(least) && bits <= double_bits(most);
}

/// A rounded number. Keeps the compiler from undoing the rounding: with -ffast-math (a + b) - a
/// would be b.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double as_rounded(double value) noexcept {
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
  KOKKOS_IF_ON_HOST((__asm__("" : "+m"(value));))
#endif
  return value;
}

}  // namespace hashmill::detail
