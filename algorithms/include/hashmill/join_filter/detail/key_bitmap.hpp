#pragma once

#include <hashmill/backends/streaming.hpp>
#include <hashmill/join_filter/options.hpp>
#include <hashmill/multi_map/hashed_key.hpp>
#include <hashmill/primitives/detail/bitmap.hpp>
#include <hashmill/primitives/detail/ordered_bits.hpp>

namespace hashmill::detail {

/// The place of a key that is a number among all keys of a range: its distance from the least.
/// Nulls that match nulls have the place behind the greatest.
template <class Key>
struct KeyPlace {
  static constexpr std::uint64_t none = ~std::uint64_t{0};  // of keys that are not in the range
  std::uint64_t least = 0;                                  // in the order of unsigned numbers
  std::uint64_t span = 0;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Key& key) const {
    if constexpr (NumberKey<Key>::exists) {
      if (is_alone(key)) return none;
      if (NumberKey<Key>::is_null(key)) return span + 1;
      const std::uint64_t place = ordered_bits(NumberKey<Key>::of(key)) - least;
      return place <= span ? place : none;
    }
    return none;
  }
};

/// A set of keys from a small range, one bit per number, as kernels see it. It has the members that
/// bulk look-ups ask of a table; a key's place stands for its hash.
template <class KeyType>
class KeyBitmapRef {
 public:
  using key_type = KeyType;

  /// Contains nothing.
  KeyBitmapRef() = default;
  KeyBitmapRef(std::uint64_t* words, const KeyPlace<KeyType>& places)
      : bits_{words}, places_(places) {}

  /// The words for a range: the bit of nulls is the last.
  [[nodiscard]] static std::uint64_t words_for(std::uint64_t span) {
    return Bits::words_for(span + 2);
  }

  template <class SearchKey = KeyType>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const SearchKey& key) const {
    if (is_nowhere(*this, key)) return false;
    const std::uint64_t place = hashed(*this, key).hash;
    return place != places_.none && bits_.test(place);
  }
  /// Most keys repeat: the bit is read before it is written.
  template <class SearchKey = KeyType>
  KOKKOS_FORCEINLINE_FUNCTION void add(const SearchKey& key) const {
    const std::uint64_t place = hashed(*this, key).hash;
    if (place != places_.none && !bits_.test_now(place)) bits_.test_and_set(place);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_vacant() const {
    return bits_.words == nullptr;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t home_of_hash(std::uint64_t place) const {
    return place;
  }
  void prefetch_home(std::uint64_t place) const {
    if (place != places_.none) backends::prefetch_far(bits_.words + place / 64);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const KeyPlace<KeyType>& hasher() const {
    return places_;
  }

 private:
  using Bits = BitmapOf<std::uint64_t>;
  Bits bits_{nullptr};
  KeyPlace<KeyType> places_;
};

}  // namespace hashmill::detail
