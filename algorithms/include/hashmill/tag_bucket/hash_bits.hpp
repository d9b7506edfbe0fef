#pragma once

#include <bit>
#include <hashmill/error.hpp>
#include <hashmill/hash_bits.hpp>
#include <hashmill/options.hpp>
#include <string>

namespace hashmill {

/// Which bits of a 64-bit hash choose the bucket of a key in a TagBucket table, and which its tag.
/// The two are disjoint, so keys of one bucket differ in their tags as often as any others.
///
///     own       63                                           7 6     0
///               | bucket: the highest bits (multiply-shift) … | tag   |
///
///     Velox's   63     44   38      6 + N          7 6       0
///               |     | tag  |      | bucket: N bits |         |     of 2^N buckets
///
/// Velox's page counts bits from 1 ("starting from bit 8"). Its worked example: hash
/// 0x5BCA7C69B794F8CE and 2^16 buckets make tag 0x71, bucket 10737 and byte offset 1,374,336.
/// Source: velox/docs/develop/hash-table.rst, "Inserting an entry".
class TagHashBits {
 public:
  /// The most buckets with Velox's bits. With more, bucket and tag would share some.
  static constexpr std::uint64_t most_velox_buckets = std::uint64_t{1} << 31;

  /// The bits of a table without buckets.
  TagHashBits() = default;

  /// Takes the bucket from the highest bits of the hash, for any number of buckets, and the tag
  /// from the lowest 7.
  [[nodiscard]] static constexpr TagHashBits own(BucketCount buckets) {
    return {buckets.value(), 0, 0};
  }
  /// Takes Velox's bits. Throws InvalidArgument unless `buckets` is a power of two, CapacityError
  /// if it exceeds 2^31.
  [[nodiscard]] static constexpr TagHashBits velox(BucketCount buckets) {
    const std::uint64_t count = buckets.value();
    if (!std::has_single_bit(count)) {
      throw InvalidArgument("velox_layout: " + std::to_string(count) +
                            " buckets are not a power of two");
    }
    if (count > most_velox_buckets) {
      throw CapacityError("velox_layout: " + std::to_string(count) +
                              " buckets exceed the limit of " + std::to_string(most_velox_buckets),
                          count, most_velox_buckets);
    }
    const auto bucket_bits = static_cast<unsigned>(std::bit_width(count)) - 1;
    return {count, 64 - first_velox_bucket_bit - bucket_bits, first_velox_tag_bit};
  }

  /// The bucket of a hash, below `num_buckets()`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t bucket(
      std::uint64_t hash) const noexcept {
    return bucket_of(hash << bucket_shift_, num_buckets_);
  }
  /// The tag as buckets store it: 7 bits of the hash below the bit that means "occupied".
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint8_t tag(
      std::uint64_t hash) const noexcept {
    return static_cast<std::uint8_t>(0x80U | (hash >> tag_shift_));
  }
  /// Number of buckets of the table.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t num_buckets() const noexcept {
    return num_buckets_;
  }

 private:
  static constexpr unsigned first_velox_bucket_bit = 7;
  static constexpr unsigned first_velox_tag_bit = 38;

  constexpr TagHashBits(std::uint64_t num_buckets, unsigned bucket_shift, unsigned tag_shift)
      : num_buckets_(num_buckets), bucket_shift_(bucket_shift), tag_shift_(tag_shift) {}

  std::uint64_t num_buckets_ = 0;
  unsigned bucket_shift_ = 0;
  unsigned tag_shift_ = 0;
};

}  // namespace hashmill
