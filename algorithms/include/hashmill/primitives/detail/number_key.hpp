#pragma once

#include <hashmill/key.hpp>
#include <hashmill/row_key.hpp>

namespace hashmill::detail {

/// Keys that are one whole number: numbers, and rows of one column of them. Other keys have none.
///
/// - `is_null(key)`: whether the key is a null.
/// - `of(key)`: its number; means nothing for a null.
template <class Key>
struct NumberKey {
  static constexpr bool exists = false;
};
template <WholeNumberKey Key>
struct NumberKey<Key> {
  static constexpr bool exists = true;
  using Number = NumberOf<Key>;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_null(Key) { return false; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Number of(Key key) {
    return static_cast<Number>(key);
  }
};
template <WholeNumberKey Value>
struct NumberKey<RowKey<Value>> {
  static constexpr bool exists = true;
  using Number = NumberOf<Value>;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_null(const RowKey<Value>& key) {
    return key.nulls != 0;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Number of(const RowKey<Value>& key) {
    return static_cast<Number>(key.values.first);
  }
};

/// Whether a key equals no key, not even itself: a row with a null that matches nothing.
template <class Key>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_alone(const Key&) {
  return false;
}
template <class... Values>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_alone(const RowKey<Values...>& key) {
  return key.alone != 0;
}

}  // namespace hashmill::detail
