#pragma once

#include <Kokkos_Macros.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// Austin Appleby's MurmurHash2 and MurmurHash3, callable on the host and on the device. Inputs may
/// have any alignment. Equal bytes give equal values everywhere. murmur_test.cpp checks the
/// published values.

namespace hashmill {

static_assert(std::endian::native == std::endian::little,
              "hashmill reads keys as little-endian words");

/// The value of a 128-bit hash function.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  KOKKOS_INLINE_FUNCTION friend constexpr bool operator==(const Hash128& a,
                                                          const Hash128& b) noexcept {
    return a.low == b.low && a.high == b.high;
  }
};

/// MurmurHash3's 32-bit finaliser: a bijection in which each input bit flips each output bit with
/// probability one half.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t murmur3_fmix32(
    std::uint32_t hash) noexcept {
  hash = (hash ^ (hash >> 16)) * 0x85ebca6bU;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35U;
  return hash ^ (hash >> 16);
}

/// MurmurHash3's 64-bit finaliser, a bijection too.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t murmur3_fmix64(
    std::uint64_t hash) noexcept {
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdU;
  hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53U;
  return hash ^ (hash >> 33);
}

namespace detail {

template <class Word>
KOKKOS_FORCEINLINE_FUNCTION constexpr Word rotate_left(Word word, unsigned bits) noexcept {
  return static_cast<Word>((word << bits) | (word >> (8 * sizeof(Word) - bits)));
}

/// The word at `bytes`, which need not be aligned.
template <class Word>
KOKKOS_FORCEINLINE_FUNCTION Word load_word(const unsigned char* bytes) noexcept {
  Word word;
  std::memcpy(&word, bytes, sizeof(Word));
  return word;
}

/// The word of the `count` < sizeof(Word) bytes at `bytes`; the bytes above are zero.
template <class Word>
KOKKOS_FORCEINLINE_FUNCTION Word load_tail(const unsigned char* bytes, std::size_t count) noexcept {
  Word word = 0;
  for (std::size_t i = 0; i < count; ++i) word |= static_cast<Word>(bytes[i]) << (8 * i);
  return word;
}

/// State of MurmurHash3 x64_128 between blocks of 16 bytes.
struct Murmur3State {
  std::uint64_t first;
  std::uint64_t second;

  KOKKOS_FORCEINLINE_FUNCTION constexpr explicit Murmur3State(std::uint64_t seed) noexcept
      : first(seed), second(seed) {}

  KOKKOS_FORCEINLINE_FUNCTION constexpr void mix_first(std::uint64_t word) noexcept {
    first ^= rotate_left(word * 0x87c37b91114253d5U, 31) * 0x4cf5ad432745937fU;
  }
  KOKKOS_FORCEINLINE_FUNCTION constexpr void mix_second(std::uint64_t word) noexcept {
    second ^= rotate_left(word * 0x4cf5ad432745937fU, 33) * 0x87c37b91114253d5U;
  }
  /// Takes in one whole block.
  KOKKOS_FORCEINLINE_FUNCTION constexpr void mix_block(std::uint64_t low,
                                                       std::uint64_t high) noexcept {
    mix_first(low);
    first = (rotate_left(first, 27) + second) * 5 + 0x52dce729;
    mix_second(high);
    second = (rotate_left(second, 31) + first) * 5 + 0x38495ab5;
  }
  /// Takes in what is left after the last whole block, with zeros above it. Zeros alone change
  /// nothing.
  KOKKOS_FORCEINLINE_FUNCTION constexpr void mix_tail(std::uint64_t low,
                                                      std::uint64_t high) noexcept {
    mix_second(high);
    mix_first(low);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Hash128 finish(
      std::uint64_t length) const noexcept {
    std::uint64_t a = first ^ length;
    std::uint64_t b = second ^ length;
    a += b;
    b += a;
    a = murmur3_fmix64(a);
    b = murmur3_fmix64(b);
    a += b;
    return {a, a + b};
  }
};

inline constexpr std::uint64_t murmur2_64a_multiplier = 0xc6a4a7935bd1e995;

/// Takes one word of 8 bytes into the state of MurmurHash64A.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t murmur2_64a_mix(std::uint64_t hash,
                                                                    std::uint64_t word) noexcept {
  word *= murmur2_64a_multiplier;
  word = (word ^ (word >> 47)) * murmur2_64a_multiplier;
  return (hash ^ word) * murmur2_64a_multiplier;
}

/// The last step of MurmurHash64A.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t murmur2_64a_finish(
    std::uint64_t hash) noexcept {
  hash = (hash ^ (hash >> 47)) * murmur2_64a_multiplier;
  return hash ^ (hash >> 47);
}

/// `murmur2_64a` of the `length` <= 16 low bytes of `low` and `high`; the bytes above must be zero.
KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t murmur2_64a_words(std::uint64_t low,
                                                                      std::uint64_t high,
                                                                      std::uint64_t length,
                                                                      std::uint64_t seed) noexcept {
  std::uint64_t hash = seed ^ (length * murmur2_64a_multiplier);
  if (length >= 8) hash = murmur2_64a_mix(hash, low);
  if (length == 16) hash = murmur2_64a_mix(hash, high);
  if (length % 8 != 0) hash = (hash ^ (length < 8 ? low : high)) * murmur2_64a_multiplier;
  return murmur2_64a_finish(hash);
}

/// `murmur3_x64_128` of the `length` <= 16 low bytes of `low` and `high`; the bytes above must be
/// zero.
KOKKOS_FORCEINLINE_FUNCTION constexpr Hash128 murmur3_x64_128_words(std::uint64_t low,
                                                                    std::uint64_t high,
                                                                    std::uint64_t length,
                                                                    std::uint64_t seed) noexcept {
  Murmur3State state(seed);
  if (length == 16) {
    state.mix_block(low, high);
  } else {
    state.mix_tail(low, high);
  }
  return state.finish(length);
}

}  // namespace detail

/// MurmurHash3 x86_32 of `length` bytes at `data`. The library does not use it. It is for programs
/// that must hash as others do: the bucket transform of Apache Iceberg takes it with seed 0.
[[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint32_t murmur3_x86_32(const void* data,
                                                                  std::size_t length,
                                                                  std::uint32_t seed) noexcept {
  const auto* bytes = static_cast<const unsigned char*>(data);
  constexpr std::uint32_t c1 = 0xcc9e2d51;
  constexpr std::uint32_t c2 = 0x1b873593;
  std::uint32_t hash = seed;
  std::size_t at = 0;
  for (; length - at >= 4; at += 4) {
    hash ^= detail::rotate_left(detail::load_word<std::uint32_t>(bytes + at) * c1, 15) * c2;
    hash = detail::rotate_left(hash, 13) * 5 + 0xe6546b64U;
  }
  if (at < length) {
    const auto tail = detail::load_tail<std::uint32_t>(bytes + at, length - at);
    hash ^= detail::rotate_left(tail * c1, 15) * c2;
  }
  return murmur3_fmix32(hash ^ static_cast<std::uint32_t>(length));
}

/// MurmurHash3 x64_128 of `length` bytes at `data`. Seeds below 2^32 give the published values.
[[nodiscard]] KOKKOS_INLINE_FUNCTION Hash128 murmur3_x64_128(const void* data, std::size_t length,
                                                             std::uint64_t seed) noexcept {
  const auto* bytes = static_cast<const unsigned char*>(data);
  detail::Murmur3State state(seed);
  std::size_t at = 0;
  for (; length - at >= 16; at += 16) {
    state.mix_block(detail::load_word<std::uint64_t>(bytes + at),
                    detail::load_word<std::uint64_t>(bytes + at + 8));
  }
  const std::size_t left = length - at;
  if (left >= 8) {
    state.mix_tail(detail::load_word<std::uint64_t>(bytes + at),
                   detail::load_tail<std::uint64_t>(bytes + at + 8, left - 8));
  } else if (left > 0) {
    state.mix_tail(detail::load_tail<std::uint64_t>(bytes + at, left), 0);
  }
  return state.finish(length);
}

/// MurmurHash2 (32 bits) of `length` bytes at `data`. The library does not use it. It is for
/// programs that must hash as others do: Apache Kafka's default partitioner takes it with seed
/// 0x9747b28c.
[[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint32_t murmur2_32(const void* data, std::size_t length,
                                                              std::uint32_t seed) noexcept {
  const auto* bytes = static_cast<const unsigned char*>(data);
  constexpr std::uint32_t multiplier = 0x5bd1e995;
  std::uint32_t hash = seed ^ static_cast<std::uint32_t>(length);
  std::size_t at = 0;
  for (; length - at >= 4; at += 4) {
    std::uint32_t word = detail::load_word<std::uint32_t>(bytes + at) * multiplier;
    word = (word ^ (word >> 24)) * multiplier;
    hash = (hash * multiplier) ^ word;
  }
  if (at < length) {
    hash = (hash ^ detail::load_tail<std::uint32_t>(bytes + at, length - at)) * multiplier;
  }
  hash = (hash ^ (hash >> 13)) * multiplier;
  return hash ^ (hash >> 15);
}

/// MurmurHash64A (MurmurHash2, 64 bits) of `length` bytes at `data`.
[[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint64_t murmur2_64a(const void* data, std::size_t length,
                                                               std::uint64_t seed) noexcept {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t hash = seed ^ (length * detail::murmur2_64a_multiplier);
  std::size_t at = 0;
  for (; length - at >= 8; at += 8) {
    hash = detail::murmur2_64a_mix(hash, detail::load_word<std::uint64_t>(bytes + at));
  }
  if (at < length) {
    hash = (hash ^ detail::load_tail<std::uint64_t>(bytes + at, length - at)) *
           detail::murmur2_64a_multiplier;
  }
  return detail::murmur2_64a_finish(hash);
}

}  // namespace hashmill
