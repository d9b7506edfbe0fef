#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__) || defined(__SYCL_DEVICE_ONLY__)
#define HASHMILL_DEVICE_CODE
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace hashmill::backends {

/// One byte for each of 16 tags, as two words. On devices one 16-byte load reads it all.
struct alignas(16) TagBytes {
  std::uint64_t low;
  std::uint64_t high;
};

/// Which bytes of `word` equal `tag`: bit i of the result for byte i. Arithmetic on whole words,
/// exact for every byte.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t match_bytes(std::uint64_t word,
                                                                              std::uint8_t tag) {
  constexpr std::uint64_t ones = 0x0101010101010101, low_bits = 0x7F7F7F7F7F7F7F7F;
  const std::uint64_t differing = word ^ (ones * tag);
  // No carry leaves a byte: its highest bit stays 0 only where all of its bits are 0.
  const std::uint64_t equal = ~(((differing & low_bits) + low_bits) | differing | low_bits);
  // Bit 8i + 7 goes to bit 56 + i. The products of different bytes never meet.
  return static_cast<std::uint32_t>(((equal >> 7) * 0x0102040810204080) >> 56);
}

/// Which of 16 bytes equal `tag`, as a mask of 16 bits, byte 0 lowest. Works on words of 8 bytes,
/// on every machine. The versions of TagGroup for SSE2 and NEON give the same result faster.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t match_tags_in_words(
    const TagBytes& tags, std::uint8_t tag) {
  return match_bytes(tags.low, tag) | match_bytes(tags.high, tag) << 8;
}

/// 16 tags, read once and then compared with any number of values. `tags` must be aligned to 16
/// bytes.
class TagGroup {
 public:
#if !defined(HASHMILL_DEVICE_CODE) && defined(__SSE2__)
  /// Reads 16 tags from `tags` on.
  KOKKOS_FORCEINLINE_FUNCTION explicit TagGroup(const std::uint8_t* tags)
      : tags_(_mm_load_si128(reinterpret_cast<const __m128i*>(tags))) {}

  /// Which tags equal `tag`: bit i for tag i.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t match(std::uint8_t tag) const {
    const __m128i equal = _mm_cmpeq_epi8(tags_, _mm_set1_epi8(static_cast<char>(tag)));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(equal));
  }

 private:
  __m128i tags_;
#elif !defined(HASHMILL_DEVICE_CODE) && defined(__ARM_NEON) && defined(__aarch64__)
  /// Reads 16 tags from `tags` on.
  KOKKOS_FORCEINLINE_FUNCTION explicit TagGroup(const std::uint8_t* tags) : tags_(vld1q_u8(tags)) {}

  /// Which tags equal `tag`: bit i for tag i.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t match(std::uint8_t tag) const {
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vandq_u8(vceqq_u8(tags_, vdupq_n_u8(tag)), weights);
    return vaddv_u8(vget_low_u8(bits)) | std::uint32_t{vaddv_u8(vget_high_u8(bits))} << 8;
  }

 private:
  uint8x16_t tags_;
#else
  /// Reads 16 tags from `tags` on.
  KOKKOS_FORCEINLINE_FUNCTION explicit TagGroup(const std::uint8_t* tags)
      : tags_(*reinterpret_cast<const TagBytes*>(tags)) {}

  /// Which tags equal `tag`: bit i for tag i.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t match(std::uint8_t tag) const {
    return match_tags_in_words(tags_, tag);
  }

 private:
  TagBytes tags_;
#endif
};

/// The position of the lowest set bit of a mask, which must not be 0.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned lowest_bit(std::uint32_t mask) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return static_cast<unsigned>(__ffs(static_cast<int>(mask))) - 1;
#elif defined(__GNUC__)
  return static_cast<unsigned>(__builtin_ctz(mask));
#else
  return static_cast<unsigned>(Kokkos::countr_zero(mask));
#endif
}

}  // namespace hashmill::backends

#undef HASHMILL_DEVICE_CODE
