#pragma once

#include <hashmill/hash.hpp>
#include <hashmill/primitives/detail/keys_as.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>

namespace hashmill::detail {

// Keys of the two sides of a join, as it reads and compares them: in one type. Sides with the same
// type of integers are read as they are.

/// Whether keys of two types can be joined. Either one type holds all values of both, or both are
/// rows of equally many columns whose types can be joined in pairs.
template <class Left, class Right>
inline constexpr bool are_joinable =
    !std::is_void_v<CommonKey<Left, Right>> ||
    (IsRowKey<Left>::value && IsRowKey<Right>::value && KeyConversion<Right, Left>::allowed);

/// Whether floating-point keys meet as integers, which travel and compare faster. This is so if the
/// caller names neither hash nor equality.
template <class Key, class Hash, class Equal>
inline constexpr bool meets_as_bits =
    FloatingKey<Key>&& std::is_same_v<Hash, Murmur3Hash>&& std::is_same_v<Equal, KeyEqual>;

/// The type in which the keys of a side are compared with those of the other side.
template <class Key, class Other, class Hash, class Equal>
using MetKey =
    std::conditional_t<meets_as_bits<Key, Hash, Equal>, std::uint64_t,
                       std::conditional_t<IsRowKey<Key>::value, Key, CommonKey<Key, Other>>>;

/// Whether sides with keys of these types can be joined with this hash. Refuses at compile time
/// those that cannot.
template <class Left, class Right, class Hash, class Equal>
[[nodiscard]] consteval bool require_joinable() {
  constexpr bool joinable = are_joinable<Left, Right>;
  static_assert(
      joinable,
      "hashmill: keys of two sides that cannot be joined: both are whole numbers of which "
      "a type of 64 bits holds all (not int64 with uint64), or both floating-point "
      "numbers, or columns, as many on each side and of such kinds in pairs, or of one "
      "other type");
  if constexpr (joinable) {
    constexpr bool hashable = HashFor<Hash, MetKey<Right, Left, Hash, Equal>>;
    static_assert(
        hashable,
        "hashmill: the hash of a join is callable with its keys and returns 64 bits; long "
        "double and structures with gaps need one of the caller's");
    return hashable;
  }
  return false;
}

/// Floating-point keys as 64-bit integers, which are equal if KeyEqual says that the keys are.
template <class Keys>
struct BitsOfKeys : SpaceOf<Keys> {
  KeyAccess<Keys> keys;

  BitsOfKeys() = default;
  explicit BitsOfKeys(const Keys& source) : keys(key_access(source)) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return keys.size(); }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return canonical_bits(keys(i));
  }
};

/// Left rows in the column types of the right side. A row that these types cannot hold matches
/// nothing: `alone` gives it a number of its own.
template <class Key, class Keys>
struct RowsAs : SpaceOf<Keys> {
  KeyAccess<Keys> keys;

  RowsAs() = default;
  explicit RowsAs(const Keys& source) : keys(key_access(source)) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return keys.size(); }
  KOKKOS_FORCEINLINE_FUNCTION Key operator()(std::uint64_t i) const {
    using Conversion = KeyConversion<Key, KeyOf<Keys>>;
    const auto row = keys(i);
    Key key = Conversion::cast(row);
    if (!Conversion::fits(row)) key.alone = i + 1;
    return key;
  }
};

/// Whether keys are a view of whole numbers, possibly read as another type.
template <class Keys>
inline constexpr bool is_number_view = Kokkos::is_view_v<Keys>&& WholeNumberKey<KeyOf<Keys>>;
template <class Key, class Keys>
inline constexpr bool is_number_view<KeysAs<Key, Keys>> = is_number_view<Keys>;

/// Turns any contiguous view into one type of view, so that joins are compiled once per type of
/// keys.
template <class Keys>
[[nodiscard]] auto one_view(const Keys& keys) {
  if constexpr (is_contiguous_view<Keys>) {
    using Viewed = Kokkos::View<const KeyOf<Keys>*, typename Keys::memory_space,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return Viewed(keys.data(), keys.extent(0));
  } else {
    return keys;
  }
}

/// Returns the keys of a side as they are compared with the other side's, which are of type
/// `Other`.
template <class Other, class Hash, class Equal, class Keys>
[[nodiscard]] auto join_keys(const Keys& keys) {
  using Key = KeyOf<Keys>;
  if constexpr (meets_as_bits<Key, Hash, Equal>) {
    return BitsOfKeys<Keys>(keys);
  } else if constexpr (IsRowKey<Key>::value) {
    return keys;
  } else {
    return one_view(keys_as<CommonKey<Key, Other>>(keys));
  }
}

/// Returns the left keys in the key type of the right side, `Key`. Both sides have passed
/// `join_keys`.
template <class Key, class Keys>
[[nodiscard]] auto left_keys_as(const Keys& keys) {
  if constexpr (std::is_same_v<Key, KeyOf<Keys>>) {
    return keys;
  } else {
    return RowsAs<Key, Keys>(keys);
  }
}

}  // namespace hashmill::detail
