#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/publish.hpp>

namespace hashmill::detail {

/// A bitmap in memory, in which kernels mark entries and buckets.
struct Bitmap {
  std::uint32_t* words;

  /// The number of words that hold `bits` bits.
  [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t bits) {
    return bits / 32 + (bits % 32 != 0 ? 1 : 0);
  }
  /// Sets a bit atomically and returns whether it was set before.
  KOKKOS_FORCEINLINE_FUNCTION bool test_and_set(std::uint64_t i) const {
    const std::uint32_t bit = 1U << (i % 32);
    return (Kokkos::atomic_fetch_or(&words[i / 32], bit) & bit) != 0;
  }
  /// Clears a bit atomically and returns whether it was set before.
  KOKKOS_FORCEINLINE_FUNCTION bool test_and_clear(std::uint64_t i) const {
    const std::uint32_t bit = 1U << (i % 32);
    return (Kokkos::atomic_fetch_and(&words[i / 32], ~bit) & bit) != 0;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool test(std::uint64_t i) const {
    return (words[i / 32] >> (i % 32) & 1U) != 0;
  }
  /// `test` for a bit that other threads may be changing.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool test_now(std::uint64_t i) const {
    return (backends::load_relaxed(&words[i / 32]) >> (i % 32) & 1U) != 0;
  }
};

}  // namespace hashmill::detail
