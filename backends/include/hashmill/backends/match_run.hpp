#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hashmill::backends {

/// The number of words that `match_run` compares.
inline constexpr unsigned run_words = 8;

// Host code: to compare eight adjacent words at once costs less than the mispredicted loop exit of
// a short run.

/// `match_run` for machines without a matching instruction.
template <class Word>
[[nodiscard]] inline std::uint32_t match_run_by_word(const Word* from, Word word) {
  std::uint32_t mask = 0;
  for (unsigned i = 0; i < run_words; ++i) {
    Word there;
    std::memcpy(&there, from + i, sizeof(Word));
    mask |= std::uint32_t{there == word} << i;
  }
  return mask;
}

/// Which of the eight words at `from` equal `word`: bit i for word i. Reads 32 bytes, which may
/// hold integers of any 4-byte type.
[[nodiscard]] inline std::uint32_t match_run(const std::uint32_t* from, std::uint32_t word) {
#if defined(__AVX512VL__)
  const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  return _mm256_cmpeq_epi32_mask(words, _mm256_set1_epi32(static_cast<int>(word)));
#elif defined(__AVX2__)
  const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  const __m256i equal = _mm256_cmpeq_epi32(words, _mm256_set1_epi32(static_cast<int>(word)));
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
#elif defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi32(static_cast<int>(word));
  const auto half = [&](const std::uint32_t* words) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(words));
    return _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(four, wanted)));
  };
  return static_cast<std::uint32_t>(half(from) | half(from + 4) << 4);
#else
  return match_run_by_word(from, word);
#endif
}

/// As above, for words of 8 bytes.
[[nodiscard]] inline std::uint32_t match_run(const std::uint64_t* from, std::uint64_t word) {
#if defined(__AVX512F__)
  const __m512i words = _mm512_loadu_si512(from);
  return _mm512_cmpeq_epi64_mask(words, _mm512_set1_epi64(static_cast<long long>(word)));
#elif defined(__AVX2__)
  const __m256i wanted = _mm256_set1_epi64x(static_cast<long long>(word));
  const auto half = [&](const std::uint64_t* words) {
    const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
    return _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(four, wanted)));
  };
  return static_cast<std::uint32_t>(half(from) | half(from + 4) << 4);
#else
  return match_run_by_word(from, word);
#endif
}

}  // namespace hashmill::backends
