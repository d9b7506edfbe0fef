#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/detail/arguments.hpp>
#include <type_traits>

namespace hashmill::detail {

/// A view of keys in the form that references hold: trivially copyable, owning nothing.
template <class Key, bool Strided>
struct KeyPointer {
  using value_type = Key;
  const Key* keys;
  std::uint64_t count;
  std::uint64_t stride;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  /// The address of a key, for prefetching.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Key* address(std::uint64_t i) const {
    return Strided ? keys + i * stride : keys + i;
  }
  KOKKOS_FORCEINLINE_FUNCTION const Key& operator()(std::uint64_t i) const { return *address(i); }
};

/// The form in which kernels read a key source: views as pointers, other sources as themselves.
template <class KeySource>
[[nodiscard]] auto key_access(const KeySource& keys) {
  require_one_dimension<KeySource>();
  if constexpr (Kokkos::is_view_v<KeySource>) {
    using Key = typename KeySource::non_const_value_type;
    constexpr bool strided = !is_contiguous_view<KeySource>;
    return KeyPointer<Key, strided>{keys.data(), keys.extent(0),
                                    strided ? static_cast<std::uint64_t>(keys.stride(0)) : 1};
  } else {
    return keys;
  }
}

template <class KeySource>
using KeyAccess = decltype(key_access(std::declval<const KeySource&>()));

/// The type of a source's keys.
template <class Keys>
using KeyOf = std::decay_t<decltype(std::declval<const KeyAccess<Keys>&>()(0))>;

/// Whether keys can be stored as the source type that a table names, by implicit conversion. A view
/// whose elements may not be adjacent does not become one whose elements are.
template <class KeySource, class Keys>
inline constexpr bool becomes_source = std::is_convertible_v<const Keys&, KeySource> &&
                                       (!is_contiguous_view<KeySource> ||
                                        !Kokkos::is_view_v<Keys> || is_contiguous_view<Keys>);

}  // namespace hashmill::detail
