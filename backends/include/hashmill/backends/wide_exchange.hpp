#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace hashmill::backends {

/// 16 bytes that change atomically.
struct alignas(16) TwoWords {
  std::uint64_t low;
  std::uint64_t high;
  friend KOKKOS_FORCEINLINE_FUNCTION bool operator==(const TwoWords& a, const TwoWords& b) {
    return a.low == b.low && a.high == b.high;
  }
};

/// Whether the code being compiled can exchange and load 16 bytes atomically. True in kernels for
/// NVIDIA GPUs from compute capability 9.0 on (PTX: atom.cas.b128, ld.relaxed.b128).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool has_wide_exchange = true;
#else
inline constexpr bool has_wide_exchange = false;
#endif

/// Stores `wanted` at `address` if `expected` is there, atomically; returns what was there.
/// Relaxed: orders no other accesses. Only where `has_wide_exchange`.
KOKKOS_FORCEINLINE_FUNCTION TwoWords exchange_two_words(TwoWords* address, TwoWords expected,
                                                        TwoWords wanted) {
  TwoWords seen = expected;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "{ .reg .b128 expected, wanted, seen;\n"
      "  mov.b128 expected, {%3, %4};\n"
      "  mov.b128 wanted, {%5, %6};\n"
      "  atom.relaxed.gpu.cas.b128 seen, [%2], expected, wanted;\n"
      "  mov.b128 {%0, %1}, seen; }"
      : "=l"(seen.low), "=l"(seen.high)
      : "l"(address), "l"(expected.low), "l"(expected.high), "l"(wanted.low), "l"(wanted.high)
      : "memory");
#else
  (void)address;
  (void)wanted;
#endif
  return seen;
}

/// Reads 16 bytes atomically, which `exchange_two_words` may be changing. Relaxed: orders no other
/// accesses. Only where `has_wide_exchange`. A plain load of a struct may consist of several loads.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION TwoWords load_two_words(const TwoWords* address) {
  TwoWords seen{};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "{ .reg .b128 seen;\n"
      "  ld.relaxed.gpu.b128 seen, [%2];\n"
      "  mov.b128 {%0, %1}, seen; }"
      : "=l"(seen.low), "=l"(seen.high)
      : "l"(address)
      : "memory");
#else
  (void)address;
#endif
  return seen;
}

}  // namespace hashmill::backends
