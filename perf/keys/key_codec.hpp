#pragma once

#include <cstdint>
#include <hashmill/key.hpp>

#include "bit_permutation.hpp"

namespace hashmill::perf {

/// Bijection between key identities (0, 1, 2, ...) and key values, callable on the device. Two
/// identities never share a key, so the first `d` identities are `d` distinct keys and every other
/// identity is a key surely absent.
template <class Key>
class KeyCodec {
 public:
  static constexpr unsigned key_bits = 8 * sizeof(Key);

  /// Sequential keys: the value is the identity.
  KeyCodec() = default;

  /// Keys scattered over the whole range of the type, by `seed`.
  explicit KeyCodec(std::uint64_t seed)
      : is_scattered_(true),
        low_(key_bits < 64 ? key_bits : 64, seed),
        high_(64, splitmix64(seed)) {}

  /// Key of `identity`, which must be below 2^min(key_bits, 64).
  KOKKOS_FUNCTION Key encode(std::uint64_t identity) const {
    const std::uint64_t low = is_scattered_ ? low_(identity) : identity;
    if constexpr (key_bits == 128) {
      return Key{low, is_scattered_ ? high_(identity) : 0};
    } else {
      return static_cast<Key>(low);
    }
  }

 private:
  bool is_scattered_ = false;
  BitPermutation low_;
  BitPermutation high_;
};

}  // namespace hashmill::perf
