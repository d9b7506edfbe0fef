#pragma once

#include <array>
#include <cstring>
#include <hashmill/hash.hpp>

#include "algorithms/support/inputs.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {

/// A key or payload of any size without padding.
template <class Word, std::size_t Count>
struct Words {
  Word words[Count];
};
using Bytes3 = Words<unsigned char, 3>;
using Bytes12 = Words<std::uint32_t, 3>;
using Bytes16 = Words<std::uint64_t, 2>;

/// The value whose bytes are those of a number, repeated.
template <class T>
T value_of(std::uint64_t number) {
  const std::uint64_t numbers[2] = {number, number};
  static_assert(sizeof(T) <= sizeof(numbers));
  T value;
  std::memcpy(&value, numbers, sizeof(T));
  return value;
}
template <>
inline float value_of<float>(std::uint64_t number) {
  return static_cast<float>(number % 4096) - 2048.5F;
}

/// A part for each key: its hash modulo `spread`, plus `first`. Spread 1 puts all keys in one part.
struct PartOfKey {
  std::uint64_t spread;
  std::uint64_t first = 0;
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return first + Murmur3Hash{}(key) % spread;
  }
};

/// Keys and payloads, the row numbers cut to the payload's size.
template <class Key, class Payload>
struct Columns {
  std::vector<Key> keys;
  std::vector<Payload> payloads;

  explicit Columns(const Numbers& numbers) {
    for (std::uint64_t i = 0; i < numbers.size(); ++i) {
      keys.push_back(value_of<Key>(numbers[i]));
      payloads.push_back(value_of<Payload>(i));
    }
  }
};

/// Rows of keys and payloads as bytes, which can be compared and ordered.
template <class Key, class Payload>
auto rows_of(const std::vector<Key>& keys, const std::vector<Payload>& payloads) {
  std::vector<std::array<unsigned char, sizeof(Key) + sizeof(Payload)>> rows(keys.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::memcpy(rows[i].data(), &keys[i], sizeof(Key));
    std::memcpy(rows[i].data() + sizeof(Key), &payloads[i], sizeof(Payload));
  }
  return rows;
}

}  // namespace hashmill::test
