#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>

namespace hashmill::perf {

/// One step of the SplitMix64 sequence: a cheap, well mixed 64-bit value per counter value.
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
KOKKOS_FUNCTION constexpr std::uint64_t splitmix64(std::uint64_t counter) {
  std::uint64_t z = counter + 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// Keyed bijection of the `bits`-bit integers (1 to 64 bits) with a cheap inverse, callable on the
/// device.
///
/// Each round adds a key, folds the upper half onto the lower and multiplies by an odd number; each
/// step can be undone, so no two inputs meet.
class BitPermutation {
 public:
  BitPermutation() = default;

  /// Draws the round constants from `seed`. `bits` must lie in [1, 64].
  BitPermutation(unsigned bits, std::uint64_t seed)
      : mask_(bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1),
        shift_((bits + 1) / 2) {
    for (unsigned round = 0; round < num_rounds; ++round) {
      added_[round] = splitmix64(seed + 2 * round) & mask_;
      multiplier_[round] = (splitmix64(seed + 2 * round + 1) | 1) & mask_;
      inverse_[round] = modular_inverse(multiplier_[round]) & mask_;
    }
  }

  /// Image of `value`, which must be below 2^bits.
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t value) const {
    for (unsigned round = 0; round < num_rounds; ++round) {
      value = (value + added_[round]) & mask_;
      value ^= value >> shift_;
      value = (value * multiplier_[round]) & mask_;
    }
    return value ^ (value >> shift_);
  }

  /// The value whose image is `image`.
  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t image) const {
    image ^= image >> shift_;
    for (unsigned round = num_rounds; round-- > 0;) {
      image = (image * inverse_[round]) & mask_;
      image ^= image >> shift_;
      image = (image - added_[round]) & mask_;
    }
    return image;
  }

 private:
  static constexpr unsigned num_rounds = 3;

  /// Inverse of an odd number modulo 2^64 by Newton's iteration (each step doubles the correct
  /// bits).
  static constexpr std::uint64_t modular_inverse(std::uint64_t odd) {
    std::uint64_t inverse = odd;
    for (int step = 0; step < 5; ++step) inverse *= 2 - odd * inverse;
    return inverse;
  }

  std::uint64_t mask_ = 1;
  unsigned shift_ = 1;
  std::uint64_t added_[num_rounds] = {};
  std::uint64_t multiplier_[num_rounds] = {1, 1, 1};
  std::uint64_t inverse_[num_rounds] = {1, 1, 1};
};

/// Keyed bijection of [0, size), callable on the device: a `BitPermutation` of the next power of
/// two, applied until the value falls into the range (fewer than two applications on average).
class IndexPermutation {
 public:
  IndexPermutation() = default;

  /// The permutation of [0, size) that belongs to `seed`.
  IndexPermutation(std::uint64_t size, std::uint64_t seed)
      : size_(size), bits_(size > 2 ? static_cast<unsigned>(std::bit_width(size - 1)) : 1u, seed) {}

  /// The identity of [0, size).
  static IndexPermutation identity(std::uint64_t size) {
    IndexPermutation result;
    result.size_ = size;
    result.is_identity_ = true;
    return result;
  }

  /// Number of indices permuted.
  KOKKOS_FUNCTION std::uint64_t size() const { return size_; }

  /// Image of `index`, which must be below size().
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t index) const {
    if (is_identity_ || size_ < 2) return index;
    do {
      index = bits_(index);
    } while (index >= size_);
    return index;
  }

  /// The index whose image is `image`.
  KOKKOS_FUNCTION std::uint64_t inverse(std::uint64_t image) const {
    if (is_identity_ || size_ < 2) return image;
    do {
      image = bits_.inverse(image);
    } while (image >= size_);
    return image;
  }

 private:
  std::uint64_t size_ = 0;
  bool is_identity_ = false;
  BitPermutation bits_;
};

}  // namespace hashmill::perf
