#pragma once

#include <hashmill/hash_bits.hpp>
#include <hashmill/murmur.hpp>

namespace hashmill {

/// The rank that owns a hash, of `ranks` ranks. It is chosen by another function of the hash than
/// any table's buckets, slots or parts. So the hashes that a rank owns look random to its tables,
/// whatever the hash function is.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t rank_of_hash(
    std::uint64_t hash, std::uint32_t ranks) noexcept {
  constexpr std::uint64_t route = 0xbb67ae8584caa73b;  // the fraction of the square root of 3
  return static_cast<std::uint32_t>(bucket_of(murmur3_fmix64(hash ^ route), ranks));
}

}  // namespace hashmill
