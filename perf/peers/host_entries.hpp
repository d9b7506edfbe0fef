#pragma once

#include <cstdint>
#include <functional>
#include <type_traits>

#include "answers/tally.hpp"

namespace hashmill::perf {

/// Hash functor of the host peers: std::hash, as their users would have it, extended to 16-byte
/// keys.
template <class Key>
struct PeerHash {
  std::size_t operator()(const Key& key) const {
    if constexpr (sizeof(Key) == 16) {
      return key_weight(key);
    } else {
      return std::hash<Key>{}(key);
    }
  }
};

/// A container's own hash functor where it takes the key, else PeerHash.
template <class Key, class Own>
using OwnHash = std::conditional_t<sizeof(Key) == 16, PeerHash<Key>, Own>;

/// Tallies a host container of (key, row) elements. With `KeepsDuplicates` an element weighs
/// entry_weight, else, where any row of the key will do, key_weight. A row that does not hold its
/// key is a fault.
template <bool KeepsDuplicates, class Container, class Keys>
Tally tally_host_entries(const Container& container, const Keys& keys) {
  Tally sum;
  for (const auto& [key, row] : container) {
    sum.add(KeepsDuplicates ? entry_weight(key, row) : key_weight(key));
    if (row >= keys.size() || !(keys(row) == key)) ++sum.faults;
  }
  return sum;
}

}  // namespace hashmill::perf
