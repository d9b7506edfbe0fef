#pragma once

#include <Kokkos_Macros.hpp>
#include <concepts>
#include <cstdint>
#include <hashmill/error.hpp>
#include <hashmill/hash_family.hpp>
#include <hashmill/key.hpp>
#include <hashmill/murmur.hpp>
#include <hashmill/options.hpp>
#include <string>

/// The hash functions of tables: functors from a key to 64 bits. Equal keys must give equal values,
/// on the host and on the device. Tables take a key's bucket from the highest bits and its
/// fingerprint from the lowest (hash_bits.hpp), so both should depend on the whole key. Each table
/// hashes by another function of the family (hash_family.hpp).
///
/// A seed is needed where untrusted parties choose keys and know this code. Without one they can
/// make any number of keys that all land in one place, and every operation takes time in the square
/// of that number. What a seed protects:
///
///     | keys                            | with a seed                                            |
///     |---------------------------------|--------------------------------------------------------|
///     | scalars of up to 8 bytes        | prepared without the seed: as good as random; keys     |
///     |                                 | that differ never collide in all 64 bits               |
///     | strings, keys above 8 bytes     | colliding keys are known for any seed: 32 bytes of     |
///     |                                 | MurmurHash3, 16 of MurmurHash2                         |
///     | several columns                 | nothing is proved                                      |
///
/// These functions are fast mixers, not ciphers: an observer of the order of results, or of their
/// times, may find the seed. For the last two lines give tables and joins a keyed function, such as
/// SipHash; group-bys take none. Source of the known collisions: Aumasson, Bernstein, "SipHash: a
/// fast short-input PRF", INDOCRYPT 2012.

namespace hashmill {

/// A copyable functor that maps a `Key` to an unsigned 64-bit number. Its call operator must be a
/// KOKKOS_FUNCTION if kernels call it.
template <class Hash, class Key>
concept HashFor = std::copy_constructible<Hash> && requires(const Hash& hash, const Key& key) {
  { hash(key) } -> std::unsigned_integral;
  requires sizeof(hash(key)) == 8;
};

/// A hash function that also has a bijection, `permute`, from keys to numbers that are mixed as
/// well as its hashes: 32 bits for keys of at most 4 bytes, else 64. Such a number stands for the
/// key and its hash at once. Tables can store it in fewer bits than it has.
template <class Hash, class Key>
concept PermutingHashFor = HashFor<Hash, Key> && requires(const Hash& hash, const Key& key) {
  { hash.permute(key) } -> std::unsigned_integral;
  requires sizeof(hash.permute(key)) == (sizeof(Key) <= 4 ? 4 : 8);
};

/// MurmurHash3: the default.
///
///     | keys                                  | function                                         |
///     |---------------------------------------|--------------------------------------------------|
///     | integers, enumerations, float, double | one exclusive or and one finaliser; equal        |
///     |                                       | numbers hash alike whatever their width          |
///     | other keys                            | the low word of x64_128 of their bytes           |
///
/// The default seed gives the published values. Any other seed is mixed before its use, so that the
/// functions of neighbouring seeds are unrelated.
class Murmur3Hash {
 public:
  Murmur3Hash() = default;
  /// The function with that seed; the default has seed 0.
  KOKKOS_INLINE_FUNCTION constexpr explicit Murmur3Hash(Seed seed) noexcept
      : mixed_seed_(murmur3_fmix64(seed.value())) {}

  /// The function of a level; see HashFamily.
  [[nodiscard]] constexpr Murmur3Hash at(HashLevel level, std::uint64_t number = 0) const noexcept {
    return moved(detail::seed_of_level(level, number));
  }
  /// The function of another seed on top of this one; see HashFamily.
  [[nodiscard]] constexpr Murmur3Hash with(Seed seed) const noexcept {
    return moved(murmur3_fmix64(seed.value()));
  }

  /// The hash of a key; equal on the host and on the device.
  template <class Key>
    requires(ScalarKey<Key> || ByteKey<Key>)
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t operator()(
      const Key& key) const noexcept {
    if constexpr (ScalarKey<Key>) {
      return murmur3_fmix64(canonical_bits(key) ^ mixed_seed_);
    } else if constexpr (sizeof(Key) <= 16) {
      const Key128 words = detail::object_words(key);
      return detail::murmur3_x64_128_words(words.low, words.high, sizeof(Key), mixed_seed_).low;
    } else {
      return murmur3_x64_128(&key, sizeof(Key), mixed_seed_).low;
    }
  }

  /// A bijection of whole numbers: the 32-bit finaliser for keys of at most 32 bits, else the hash
  /// itself.
  template <class Key>
    requires detail::WholeNumberKey<Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr auto permute(Key key) const noexcept {
    if constexpr (sizeof(Key) <= 4) {
      return murmur3_fmix32(static_cast<std::uint32_t>(canonical_bits(key) ^ mixed_seed_));
    } else {
      return (*this)(key);
    }
  }

  friend constexpr bool operator==(const Murmur3Hash&, const Murmur3Hash&) = default;

 private:
  friend class RowHash;
  [[nodiscard]] constexpr Murmur3Hash moved(std::uint64_t by) const noexcept {
    Murmur3Hash hash;
    hash.mixed_seed_ = mixed_seed_ + by;
    return hash;
  }

  std::uint64_t mixed_seed_ = 0;  // murmur3_fmix64(0)
};

/// MurmurHash64A, of the MurmurHash2 family that the HashGraph papers used. Scalar keys are hashed
/// as the 8 bytes of their `canonical_bits`, other keys as their own bytes. The library never
/// chooses it by itself: it is for programs that compare with those papers, or with other users of
/// MurmurHash64A.
class Murmur2Hash {
 public:
  Murmur2Hash() = default;
  /// The function with that seed; the default has seed 0.
  KOKKOS_INLINE_FUNCTION constexpr explicit Murmur2Hash(Seed seed) noexcept : seed_(seed.value()) {}

  /// The function of a level; see HashFamily.
  [[nodiscard]] constexpr Murmur2Hash at(HashLevel level, std::uint64_t number = 0) const noexcept {
    return Murmur2Hash(Seed(seed_ + detail::seed_of_level(level, number)));
  }
  /// The function of another seed on top of this one; see HashFamily.
  [[nodiscard]] constexpr Murmur2Hash with(Seed seed) const noexcept {
    return Murmur2Hash(Seed(seed_ + seed.value()));
  }

  /// The hash of a key; equal on the host and on the device.
  template <class Key>
    requires(ScalarKey<Key> || ByteKey<Key>)
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t operator()(
      const Key& key) const noexcept {
    if constexpr (ScalarKey<Key>) {
      return detail::murmur2_64a_words(canonical_bits(key), 0, 8, seed_);
    } else if constexpr (sizeof(Key) <= 16) {
      const Key128 words = detail::object_words(key);
      return detail::murmur2_64a_words(words.low, words.high, sizeof(Key), seed_);
    } else {
      return murmur2_64a(&key, sizeof(Key), seed_);
    }
  }

  friend constexpr bool operator==(const Murmur2Hash&, const Murmur2Hash&) = default;

 private:
  std::uint64_t seed_ = 0;
};

/// The key itself, shifted up so that keys below 2^domain_bits spread over all buckets in key
/// order. Suits keys that are dense in that range. Keys above it lose their highest bits, and
/// negative numbers follow the positive ones.
///
/// It keeps the order of keys at every level, so it is no HashFamily: keys that share their highest
/// bits share their buckets.
class IdentityHash {
 public:
  IdentityHash() = default;
  /// Throws InvalidArgument, which names the value and the limits, unless 1 <= `domain_bits` <= 64.
  constexpr explicit IdentityHash(unsigned domain_bits) : shift_(64 - domain_bits) {
    if (domain_bits == 0 || domain_bits > 64) {
      throw InvalidArgument("identity hash domain bits " + std::to_string(domain_bits) +
                            " is not in [1, 64]");
    }
  }

  /// As passed to the constructor; 64 by default.
  [[nodiscard]] constexpr unsigned domain_bits() const noexcept { return 64 - shift_; }

  /// The shifted key.
  template <ScalarKey Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t operator()(
      const Key& key) const noexcept {
    return canonical_bits(key) << shift_;
  }

  friend constexpr bool operator==(const IdentityHash&, const IdentityHash&) = default;

 private:
  unsigned shift_ = 0;
};

}  // namespace hashmill
