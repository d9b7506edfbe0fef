#pragma once

#include <Kokkos_Macros.hpp>
#include <hashmill/hash.hpp>

#include "random_source.hpp"

namespace hashmill::test {

/// The default hash with only some of its bits: with few, keys collide.
struct NarrowHash {
  unsigned bits = 64;
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return bits == 0 ? 0 : Murmur3Hash{}(key) << (64 - bits);
  }
  friend constexpr bool operator==(const NarrowHash&, const NarrowHash&) = default;
};

inline NarrowHash random_hash(RandomSource& random) {
  constexpr unsigned bits[] = {0, 1, 4, 8, 16, 32, 64, 64, 64};
  return {random.pick(bits)};
}

}  // namespace hashmill::test
