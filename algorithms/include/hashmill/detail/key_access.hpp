#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/detail/arguments.hpp>
#include <type_traits>

namespace hashmill::detail {

/// A view of keys as references hold it: trivially copyable, owning nothing.
template <class Key, bool Strided>
struct KeyPointer {
  const Key* keys;
  std::uint64_t count;
  std::uint64_t stride;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  /// Where a key lies, for prefetching.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Key* address(std::uint64_t i) const {
    return Strided ? keys + i * stride : keys + i;
  }
  KOKKOS_FORCEINLINE_FUNCTION const Key& operator()(std::uint64_t i) const { return *address(i); }
};

/// What kernels read a key source through: views as pointers, other sources as themselves.
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

}  // namespace hashmill::detail
