#pragma once

#include <cstdint>
#include <hashmill/hash.hpp>
#include <string>
#include <vector>

#include "views.hpp"

namespace hashmill::test {

/// Four bits of a hash, by which keys were chosen: the first, counted from the lowest.
struct ChosenBits {
  const char* name;
  unsigned first;
};
inline constexpr ChosenBits chosen_bits[] = {{"top", 60}, {"middle", 30}, {"lowest", 0}};

/// A key for a number below 2^32.
template <class Key>
Key candidate_key(std::uint64_t number) {
  if constexpr (std::is_same_v<Key, Key128>) {
    return {number, ~number};
  } else {
    return static_cast<Key>(number);
  }
}

/// `count` different keys whose hashes agree in those bits.
template <class Key, class Hash>
std::vector<Key> keys_agreeing(const Hash& hash, const ChosenBits& bits, std::size_t count) {
  std::vector<Key> keys;
  for (std::uint64_t number = 0; keys.size() < count; ++number) {
    const auto key = candidate_key<Key>(number);
    if ((hash(key) >> bits.first & 15) == 5) keys.push_back(key);
  }
  return keys;
}

/// The number whose MurmurHash3 finaliser is `hash`.
[[nodiscard]] inline std::uint64_t inverse_fmix64(std::uint64_t hash) {
  hash = (hash ^ hash >> 33) * 0x9cb4b2f8129337db;
  hash = (hash ^ hash >> 33) * 0x4f74430c22a54005;
  return hash ^ hash >> 33;
}

/// Compares keys and counts how often.
struct CountingEqual {
  Kokkos::View<std::uint64_t, Memory> count{"hashmill::test::comparisons"};

  template <class Key>
  KOKKOS_FUNCTION bool operator()(const Key& a, const Key& b) const {
    Kokkos::atomic_inc(&count());
    return KeyEqual()(a, b);
  }
  /// How often since it was asked last.
  [[nodiscard]] std::uint64_t take() const {
    std::uint64_t comparisons = 0;
    Kokkos::deep_copy(comparisons, count);
    Kokkos::deep_copy(count, std::uint64_t{0});
    return comparisons;
  }
};

}  // namespace hashmill::test
