#pragma once

#include <Kokkos_Macros.hpp>
#include <hashmill/hash.hpp>

namespace hashmill::test {

/// The worst hash function: every key in one bucket, with one fingerprint.
struct ConstantHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key&) const {
    return 0x9e3779b97f4a7c15;
  }
  friend constexpr bool operator==(const ConstantHash&, const ConstantHash&) = default;
};

/// A bad one: 16 values, all in the highest bits, so that buckets differ and fingerprints do not.
struct FourBitHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return Murmur3Hash{}(key) << 60;
  }
  friend constexpr bool operator==(const FourBitHash&, const FourBitHash&) = default;
};

/// Parameters of typed tests.
template <class KeyType, class HashType>
struct KeyAndHash {
  using Key = KeyType;
  using Hash = HashType;
};

}  // namespace hashmill::test
