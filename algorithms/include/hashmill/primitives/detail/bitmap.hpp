#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/publish.hpp>

namespace hashmill::detail {

/// A bitmap in memory, in which kernels mark entries, buckets and keys.
template <class Word>
struct BitmapOf {
  static constexpr unsigned word_bits = 8 * sizeof(Word);
  Word* words;

  /// The number of words that hold `bits` bits.
  [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t bits) {
    return bits / word_bits + (bits % word_bits != 0 ? 1 : 0);
  }
  /// Sets a bit atomically and returns whether it was set before.
  KOKKOS_FORCEINLINE_FUNCTION bool test_and_set(std::uint64_t i) const {
    const Word bit = Word{1} << (i % word_bits);
    return (Kokkos::atomic_fetch_or(&words[i / word_bits], bit) & bit) != 0;
  }
  /// Clears a bit atomically and returns whether it was set before.
  KOKKOS_FORCEINLINE_FUNCTION bool test_and_clear(std::uint64_t i) const {
    const Word bit = Word{1} << (i % word_bits);
    return (Kokkos::atomic_fetch_and(&words[i / word_bits], static_cast<Word>(~bit)) & bit) != 0;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool test(std::uint64_t i) const {
    return (words[i / word_bits] >> (i % word_bits) & 1U) != 0;
  }
  /// `test` for a bit that other threads may be changing.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool test_now(std::uint64_t i) const {
    return (backends::load_relaxed(&words[i / word_bits]) >> (i % word_bits) & 1U) != 0;
  }
};
using Bitmap = BitmapOf<std::uint32_t>;

}  // namespace hashmill::detail
