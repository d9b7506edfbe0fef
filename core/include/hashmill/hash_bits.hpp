#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <hashmill/options.hpp>

/// Who may use which bits of a 64-bit hash. A table takes the bucket from the top and what tells
/// keys of a bucket apart from the bottom, and the two never meet:
///
///     63                                   24 23             0
///     | bucket: log2(num_buckets) <= 40 bits |  fingerprint  |
///
/// Where rows are partitioned first and parts become tables, as in joins and group-bys, the part
/// takes the highest bits and the table bits below them. Whoever uses bits that somebody else has
/// used, because rows were chosen by them, sees a part of its range only. That is why different
/// users take different functions (hash_family.hpp); within a function, bits are handed out here.

namespace hashmill {

/// Bits of a hash that tables store beside a row.
inline constexpr unsigned fingerprint_bits = 24;
static_assert(BucketCount::largest <= std::uint64_t{1} << (64 - fingerprint_bits),
              "buckets and fingerprints take different bits of a hash");

namespace detail {

/// `bucket_of` for fewer than 2^32 buckets: two multiplications of 32-bit numbers.
///
/// With hash = h * 2^32 + l, the product is h * n * 2^32 + l * n; both terms below fit 64 bits and
/// what the inner shift drops cannot carry.
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
/// It grows with the hash, so the keys of a range of buckets are those of a range of hashes, and
/// splits the hashes evenly to within one. `num_buckets` must not be 0.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t bucket_of(
    std::uint64_t hash, std::uint64_t num_buckets) noexcept {
  if ((num_buckets >> 32) == 0) {
    return detail::bucket_of_narrow(hash, static_cast<std::uint32_t>(num_buckets));
  }
  return detail::bucket_of_wide(hash, num_buckets);
}

/// The bits of a hash that tables store beside a row to tell keys of one bucket apart.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t fingerprint_of(
    std::uint64_t hash) noexcept {
  return static_cast<std::uint32_t>(hash & ((std::uint64_t{1} << fingerprint_bits) - 1));
}

}  // namespace hashmill
