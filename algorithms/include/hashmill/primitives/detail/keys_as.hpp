#pragma once

#include <hashmill/key_conversion.hpp>
#include <hashmill/primitives/detail/key_access.hpp>

namespace hashmill::detail {

/// The memory space of a source, if it names one.
template <class Source>
struct SpaceOf {};
template <class Source>
  requires requires { typename Source::memory_space; }
struct SpaceOf<Source> {
  using memory_space = typename Source::memory_space;
};

/// Keys of another type, converted to a table's key type: a key source. Only keys that fit have a
/// meaning (see KeyFits).
template <class Key, class Keys>
struct KeysAs : SpaceOf<Keys> {
  KeyAccess<Keys> keys;

  KeysAs() = default;
  explicit KeysAs(const Keys& source) : keys(key_access(source)) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return keys.size(); }
  KOKKOS_FORCEINLINE_FUNCTION Key operator()(std::uint64_t i) const { return as_key<Key>(keys(i)); }
  /// The address of a key, for prefetching.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto address(std::uint64_t i) const requires
      requires(const KeyAccess<Keys>& access) {
    access.address(i);
  }
  { return keys.address(i); }
};

/// Whether a table's key type can hold a key of a source.
template <class Key, class Keys>
struct KeyFits {
  KeyAccess<Keys> keys;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t i) const {
    return KeyConversion<Key, KeyOf<Keys>>::fits(keys(i));
  }
};

/// A source with keys of a table's type: the source itself if it has that type.
template <class Key, class Keys>
[[nodiscard]] auto keys_as(const Keys& keys) {
  if constexpr (std::same_as<Key, KeyOf<Keys>>) {
    return keys;
  } else {
    return KeysAs<Key, Keys>(keys);
  }
}

/// Keys to be stored, converted to a table's type, which must be able to hold every key of their
/// type.
template <class Key, class Keys>
[[nodiscard]] auto stored_keys(const Keys& keys) {
  (void)require_storable<Key, KeyOf<Keys>>();
  return keys_as<Key>(keys);
}

}  // namespace hashmill::detail
