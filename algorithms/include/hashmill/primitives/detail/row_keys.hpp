#pragma once

#include <hashmill/columns.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/keys_at.hpp>

namespace hashmill::detail {

template <class Key>
struct IsRowKey : std::false_type {};
template <class... Values>
struct IsRowKey<RowKey<Values...>> : std::true_type {};

/// Keys that a slot of LinearProbing holds with their row. Other keys stay in the caller's columns.
template <class Key>
inline constexpr bool fits_slot = WholeNumberKey<Key> && sizeof(Key) <= 8;

/// The default hash and equality of a key type.
template <class Key>
using GroupHash = std::conditional_t<IsRowKey<Key>::value, RowHash, Murmur3Hash>;
template <class Key>
using GroupEqual = std::conditional_t<IsRowKey<Key>::value, RowEqual, KeyEqual>;

/// The keys of the rows of a list, or of the first rows.
template <class Keys, class Row, class MemorySpace>
using KeysOfRows = KeysAt<Keys, ListedOrFirstRows<Row>, MemorySpace>;

template <class Row, class MemorySpace, class Keys>
[[nodiscard]] KeysOfRows<Keys, Row, MemorySpace> all_rows(const Keys& keys) {
  return {keys, {nullptr}, keys.size()};
}

/// Keys of a side of a join, beside keys of type `Other` of the other side. A column alone becomes
/// `columns` of it, whose nulls match nothing. So does a view beside such a column.
template <class Other, class Keys>
[[nodiscard]] auto keys_of_side(const Keys& keys) {
  if constexpr (ColumnOfValues<Keys> || (ColumnOfValues<Other> && Kokkos::is_view_v<Keys>)) {
    return columns(keys);
  } else {
    return keys;
  }
}

/// Keys as group-bys compare them: all nulls are one value, and so are all NaNs.
template <class Keys>
[[nodiscard]] auto group_keys(const Keys& keys) {
  if constexpr (IsRowKey<KeyOf<Keys>>::value) {
    return keys.nulls_equal();
  } else if constexpr (ColumnOfValues<Keys>) {
    return columns(keys).nulls_equal();
  } else if constexpr (std::is_floating_point_v<KeyOf<Keys>>) {
    return columns(keys);
  } else {
    return key_access(keys);
  }
}

/// The hash function of a group-by over such keys.
template <class Keys>
using GroupHashOf = GroupHash<KeyOf<decltype(group_keys(std::declval<const Keys&>()))>>;

}  // namespace hashmill::detail
