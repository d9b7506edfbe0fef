#pragma once

#include <hashmill/key_conversion.hpp>
#include <hashmill/primitives/detail/key_access.hpp>

namespace hashmill::detail {

/// The memory space of a source, where it names one.
template <class Source>
struct SpaceOf {};
template <class Source>
  requires requires { typename Source::memory_space; }
struct SpaceOf<Source> {
  using memory_space = typename Source::memory_space;
};

/// Keys of another type as those of a table: a key source, of which only those mean something that
/// fit (see KeyFits).
template <class Key, class Keys>
struct KeysAs : SpaceOf<Keys> {
  KeyAccess<Keys> keys;

  KeysAs() = default;
  explicit KeysAs(const Keys& source) : keys(key_access(source)) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return keys.size(); }
  KOKKOS_FORCEINLINE_FUNCTION Key operator()(std::uint64_t i) const { return as_key<Key>(keys(i)); }
  /// Where a key lies, for prefetching.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto address(std::uint64_t i) const requires
      requires(const KeyAccess<Keys>& access) {
    access.address(i);
  }
  { return keys.address(i); }
};

/// Whether a table can hold a key of a source.
template <class Key, class Keys>
struct KeyFits {
  KeyAccess<Keys> keys;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t i) const {
    return KeyConversion<Key, KeyOf<Keys>>::fits(keys(i));
  }
};

/// Keys as those of a table: themselves, if they have its type.
template <class Key, class Keys>
[[nodiscard]] auto keys_as(const Keys& keys) {
  if constexpr (std::same_as<Key, KeyOf<Keys>>) {
    return keys;
  } else {
    return KeysAs<Key, Keys>(keys);
  }
}

/// Keys to be stored as those of a table, which must be able to hold each.
template <class Key, class Keys>
[[nodiscard]] auto stored_keys(const Keys& keys) {
  (void)require_storable<Key, KeyOf<Keys>>();
  return keys_as<Key>(keys);
}

}  // namespace hashmill::detail
