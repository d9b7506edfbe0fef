#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/publish.hpp>
#include <hashmill/backends/tag_match.hpp>
#include <hashmill/backends/unroll.hpp>

// The thread sanitizer knows no atomic reads of 16 bytes, so under it the words are read one by
// one.
#if !defined(__SANITIZE_THREAD__) && !defined(__CUDA_ARCH__) && \
    !defined(__HIP_DEVICE_COMPILE__) && !defined(__SYCL_DEVICE_ONLY__)
#if defined(__AVX512VL__)
#define HASHMILL_WORDS_IN_AVX512
#include <immintrin.h>
#elif defined(__SSE2__)
#define HASHMILL_WORDS_IN_SSE2
#include <emmintrin.h>
#endif
#endif

namespace hashmill::backends {

/// Four words of 8 bytes, aligned to 32.
struct alignas(32) FourWords {
  std::uint64_t words[4];
};

/// Four words, read once, and then compared all at once. Others may change them during the read;
/// each word is read whole. A comparison takes a few instructions where compilers would make four
/// branches.
class WordGroup {
 public:
  static constexpr unsigned size = 4;

#if defined(HASHMILL_WORDS_IN_AVX512)
  // Compares into masks. Without masks finding a key takes twice the instructions.
  /// Reads the four words of `from`, each whole.
  KOKKOS_FORCEINLINE_FUNCTION explicit WordGroup(const FourWords& from)
      : words_(_mm256_load_si256(reinterpret_cast<const __m256i*>(from.words))) {}

  /// The words whose lower half is `key` and whose upper half is below `end`: bit i for word i.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t match(std::uint32_t key,
                                                                std::uint32_t end) const {
    // The upper halves alone decide whether a word is below one whose lower half is 0.
    const __mmask8 below = _mm256_cmplt_epu64_mask(words_, in_all(std::uint64_t{end} << 32));
    return _mm256_mask_cmpeq_epi64_mask(below, _mm256_slli_epi64(words_, 32),
                                        in_all(std::uint64_t{key} << 32));
  }
  /// The words whose upper half is `value`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t match_upper(std::uint32_t value) const {
    return _mm256_cmpeq_epi64_mask(_mm256_srli_epi64(words_, 32), in_all(value));
  }
  /// Whether the last word has this upper half.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool last_upper_is(std::uint32_t value) const {
    return (match_upper(value) >> 3) != 0;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t word(unsigned i) const {
    FourWords copy;
    _mm256_store_si256(reinterpret_cast<__m256i*>(copy.words), words_);
    return copy.words[i];
  }
  /// The position of the lowest set bit of a mask of words, which must not be 0.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static unsigned lowest(std::uint32_t mask) {
    return lowest_bit(mask);
  }

 private:
  [[nodiscard]] static __m256i in_all(std::uint64_t word) {
    return _mm256_set1_epi64x(static_cast<long long>(word));
  }

  __m256i words_;
#elif defined(HASHMILL_WORDS_IN_SSE2)
  /// Reads the four words of `from`, each whole.
  KOKKOS_FORCEINLINE_FUNCTION explicit WordGroup(const FourWords& from)
      : low_(_mm_load_si128(reinterpret_cast<const __m128i*>(from.words))),
        high_(_mm_load_si128(reinterpret_cast<const __m128i*>(from.words) + 1)) {}

  /// The words whose lower half is `key` and whose upper half is below `end`: bit i for word i.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t match(std::uint32_t key,
                                                                std::uint32_t end) const {
    const __m128i keys = _mm_set1_epi32(static_cast<int>(key));
    const __m128i ends = _mm_set1_epi32(static_cast<int>(end ^ sign));
    return bits(matching(low_, keys, ends), matching(high_, keys, ends));
  }
  /// The words whose upper half is `value`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t match_upper(std::uint32_t value) const {
    const __m128i values = _mm_set1_epi32(static_cast<int>(value));
    return bits(_mm_cmpeq_epi32(low_, values), _mm_cmpeq_epi32(high_, values));
  }
  /// Whether the last word has this upper half.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool last_upper_is(std::uint32_t value) const {
    return (match_upper(value) >> 3) != 0;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t word(unsigned i) const {
    FourWords copy;
    _mm_store_si128(reinterpret_cast<__m128i*>(copy.words), low_);
    _mm_store_si128(reinterpret_cast<__m128i*>(copy.words) + 1, high_);
    return copy.words[i];
  }
  /// The position of the lowest set bit of a mask of words, which must not be 0.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static unsigned lowest(std::uint32_t mask) {
    return lowest_bit(mask);
  }

 private:
  static constexpr std::uint32_t sign = 0x80000000;  // turns unsigned order into signed

  [[nodiscard]] static __m128i matching(__m128i words, __m128i keys, __m128i ends) {
    const __m128i ordered = _mm_xor_si128(words, _mm_set1_epi32(static_cast<int>(sign)));
    const __m128i equal = _mm_slli_epi64(_mm_cmpeq_epi32(words, keys), 32);
    return _mm_and_si128(equal, _mm_cmplt_epi32(ordered, ends));
  }
  /// The highest bit of each word.
  [[nodiscard]] static std::uint32_t bits(__m128i low, __m128i high) {
    const int first = _mm_movemask_pd(_mm_castsi128_pd(low));
    return static_cast<std::uint32_t>(first | _mm_movemask_pd(_mm_castsi128_pd(high)) << 2);
  }

  __m128i low_, high_;
#else
  /// Reads the four words of `from`, each whole.
  KOKKOS_FORCEINLINE_FUNCTION explicit WordGroup(const FourWords& from) {
    KOKKOS_IF_ON_DEVICE((const FourWords all = from;  // two loads of 16 bytes
                         unrolled<size>([&](unsigned i) { words_[i] = all.words[i]; });))
    KOKKOS_IF_ON_HOST(
        (unrolled<size>([&](unsigned i) { words_[i] = load_relaxed(&from.words[i]); });))
  }

  /// The words whose lower half is `key` and whose upper half is below `end`: bit i for word i.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t match(std::uint32_t key,
                                                                std::uint32_t end) const {
    std::uint32_t mask = 0;
    unrolled<size>([&](unsigned i) {
      const bool equal = (static_cast<std::uint32_t>(words_[i]) == key) & (upper(words_[i]) < end);
      mask |= static_cast<std::uint32_t>(equal) << i;
    });
    return mask;
  }
  /// The words whose upper half is `value`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t match_upper(std::uint32_t value) const {
    std::uint32_t mask = 0;
    unrolled<size>(
        [&](unsigned i) { mask |= static_cast<std::uint32_t>(upper(words_[i]) == value) << i; });
    return mask;
  }
  /// Whether the last word has this upper half.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool last_upper_is(std::uint32_t value) const {
    return upper(words_[size - 1]) == value;
  }
  /// Selected by moves, which keep the words in registers.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t word(unsigned i) const {
    const std::uint64_t low = i == 0 ? words_[0] : words_[1];
    const std::uint64_t high = i == 2 ? words_[2] : words_[3];
    return i < 2 ? low : high;
  }
  /// The position of the lowest set bit of a mask of words, which must not be 0.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static unsigned lowest(std::uint32_t mask) {
    return (mask & 1) != 0 ? 0 : (mask & 2) != 0 ? 1 : (mask & 4) != 0 ? 2 : 3;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t upper(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> 32);
  }

  std::uint64_t words_[size];
#endif
};

}  // namespace hashmill::backends

#undef HASHMILL_WORDS_IN_AVX512
#undef HASHMILL_WORDS_IN_SSE2
