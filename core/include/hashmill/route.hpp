#pragma once

#include <hashmill/hash_bits.hpp>
#include <hashmill/murmur.hpp>

namespace hashmill {

/// The number by which a hash chooses its rank: another function of the hash than any table's
/// buckets, slots or parts. So the hashes that a rank owns look random to its tables, whatever the
/// hash function is.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t route_of(
    std::uint64_t hash) noexcept {
  return murmur3_fmix64(hash ^ 0xbb67ae8584caa73b);  // the fraction of the square root of 3
}

/// The rank that owns a hash, where `ranks` ranks own equal shares of all hashes.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t rank_of_hash(
    std::uint64_t hash, std::uint32_t ranks) noexcept {
  return static_cast<std::uint32_t>(bucket_of(route_of(hash), ranks));
}

}  // namespace hashmill
