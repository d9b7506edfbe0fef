#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <hashmill/options.hpp>

/// Which bits of a 64-bit hash choose a key's bucket, and which tell the keys of one bucket apart.
/// The bucket takes the highest bits and the fingerprint the lowest, so the two never overlap:
///
///     63                                   24 23             0
///     | bucket: log2(num_buckets) <= 40 bits |  fingerprint  |
///
/// HashGraph stores the fingerprint, or as many of its bits as fit. TagBucket stores a tag of 7
/// bits instead (tag_bucket/hash_bits.hpp).
///
/// Joins and group-bys partition rows first and make each part a table. There the part takes the
/// highest bits, and the table the bits below them.
///
/// Bits by which rows were already chosen are the same in all of those rows. A second user of such
/// bits sees only a fraction of their range. Different users therefore take different functions
/// (hash_family.hpp), and within one function they take different bits.

namespace hashmill {

/// Bits of a hash that a table stores beside a row number.
inline constexpr unsigned fingerprint_bits = 24;
static_assert(BucketCount::largest <= std::uint64_t{1} << (64 - fingerprint_bits),
              "buckets and fingerprints take different bits of a hash");

namespace detail {

/// `bucket_of` for fewer than 2^32 buckets: two multiplications of 32-bit numbers.
///
/// With hash = h * 2^32 + l, the product is h * n * 2^32 + l * n. Both terms below fit 64 bits, and
/// the bits that the inner shift drops cannot carry.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t bucket_of_narrow(
    std::uint64_t hash, std::uint32_t num_buckets) noexcept {
  const std::uint64_t buckets = num_buckets;
  const std::uint64_t upper = static_cast<std::uint32_t>(hash >> 32) * buckets;
  const std::uint64_t lower = static_cast<std::uint32_t>(hash) * buckets;
  return (upper + (lower >> 32)) >> 32;
}

/// `bucket_of` for any number of buckets.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t bucket_of_wide(
    std::uint64_t hash, std::uint64_t num_buckets) noexcept {
  __extension__ using Product = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Product>(hash) * num_buckets) >> 64);
}

}  // namespace detail

/// The bucket of a hash, below `num_buckets`: the high 64 bits of hash * num_buckets.
///
/// The bucket never decreases as the hash grows, so a range of buckets is a range of hashes. The
/// numbers of hashes that two buckets receive differ by at most one. `num_buckets` must not be 0.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t bucket_of(
    std::uint64_t hash, std::uint64_t num_buckets) noexcept {
  if ((num_buckets >> 32) == 0) {
    return detail::bucket_of_narrow(hash, static_cast<std::uint32_t>(num_buckets));
  }
  return detail::bucket_of_wide(hash, num_buckets);
}

/// Neighbouring buckets of a table: what a part of it holds that was made as a table of its own.
struct HashRange {
  std::uint64_t total = 0;  ///< buckets of the whole table
  std::uint64_t first = 0;  ///< the first bucket of the range
  std::uint64_t count = 0;  ///< buckets in it

  /// All buckets of a table.
  [[nodiscard]] static constexpr HashRange whole(std::uint64_t buckets) noexcept {
    return {buckets, 0, buckets};
  }
  /// The number of a hash's bucket in the range; `count` or more where the bucket lies outside.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t place_of(
      std::uint64_t hash) const noexcept {
    return bucket_of(hash, total) - first;
  }
  friend constexpr bool operator==(const HashRange&, const HashRange&) = default;
};

/// The bits of a hash that a table stores beside a row number, to tell keys of one bucket apart.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t fingerprint_of(
    std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>(hash & ((std::uint64_t{1} << fingerprint_bits) - 1));
}

}  // namespace hashmill
