#pragma once

#include <Kokkos_Macros.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <hashmill/key.hpp>
#include <hashmill/row.hpp>
#include <limits>
#include <type_traits>

namespace hashmill::detail {

// Keys, queries and row numbers of another type than a table's. Numbers of one kind are compared by
// their value, as KeyEqual does. A number that the table's type cannot hold equals none of its
// keys, and is never stored. Every other conversion that would cut or round does not compile.

/// How keys of type `From` become keys of type `Key`, among which they are sought or stored.
///
/// - `allowed`: whether they can; in this template, whether they convert implicitly and nothing
///   narrows.
/// - `always`: whether `Key` can hold every value of `From`.
/// - `fits(from)`: whether `Key` can hold this one.
/// - `cast(from)`: the key; it means nothing where `from` does not fit.
template <class Key, class From>
struct KeyConversion {
  static constexpr bool allowed =
      std::is_convertible_v<const From&, Key> && requires(const From& from) {
    Key{from};
  };
  static constexpr bool always = true;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr bool fits(const From&) { return true; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr Key cast(const From& from) {
    return from;
  }
};

template <class Key>
struct KeyConversion<Key, Key> {
  static constexpr bool allowed = true, always = true;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr bool fits(const Key&) { return true; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr Key cast(const Key& key) {
    return key;
  }
};

/// Numbers of one kind.
template <class Key, class From>
  requires(!std::same_as<Key, From> && ((WholeNumberKey<Key> && WholeNumberKey<From>) ||
                                        (FloatingKey<Key> && FloatingKey<From>)))
struct KeyConversion<Key, From> {
  using To = std::numeric_limits<NumberOf<Key>>;
  using Of = std::numeric_limits<NumberOf<From>>;
  static constexpr bool allowed = true;
  static constexpr bool always = To::digits >= Of::digits && (To::is_signed || !Of::is_signed);
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr bool fits(From from) {
    return always || KeyEqual()(from, cast(from));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static constexpr Key cast(From from) {
    return static_cast<Key>(from);
  }
};

/// The integer of a size and signedness.
template <std::size_t Bytes, bool Signed>
using IntegerOf = std::conditional_t<
    Bytes == 8, std::conditional_t<Signed, std::int64_t, std::uint64_t>,
    std::conditional_t<
        Bytes == 4, std::conditional_t<Signed, std::int32_t, std::uint32_t>,
        std::conditional_t<Bytes == 2, std::conditional_t<Signed, std::int16_t, std::uint16_t>,
                           std::conditional_t<Signed, std::int8_t, std::uint8_t>>>>;

/// The narrowest type, of at most 64 bits, that holds every value of two types: the type in which
/// the keys of two sides are compared. `void` where there is none.
template <class A, class B>
struct CommonKeyOf {
  using type = void;
};
template <class Key>
struct CommonKeyOf<Key, Key> {
  using type = Key;
};
template <FloatingKey A, FloatingKey B>
  requires(!std::same_as<A, B>)
struct CommonKeyOf<A, B> {
  using type = double;
};
template <WholeNumberKey A, WholeNumberKey B>
  requires(!std::same_as<A, B>)
struct CommonKeyOf<A, B> {
  static constexpr bool is_signed = std::is_signed_v<NumberOf<A>> || std::is_signed_v<NumberOf<B>>;
  /// An unsigned number needs the next wider signed type.
  template <class Key>
  static constexpr std::size_t bytes =
      is_signed && !std::is_signed_v<NumberOf<Key>> ? 2 * sizeof(Key) : sizeof(Key);
  static constexpr std::size_t widest = bytes<A> > bytes<B> ? bytes<A> : bytes<B>;
  using type = std::conditional_t<widest <= 8, IntegerOf<widest, is_signed>, void>;
};
template <class A, class B>
using CommonKey = typename CommonKeyOf<A, B>::type;

/// Whether queries of type `From` can be compared with keys of type `Key`; fails to compile
/// otherwise. Callers ask it in `if constexpr`, so that its one sentence is all that the compiler
/// says.
template <class Key, class From>
[[nodiscard]] consteval bool require_comparable() {
  static_assert(KeyConversion<Key, From>::allowed,
                "hashmill: queries that cannot be compared with the table's keys: whole numbers "
                "(of at most 64 bits) are compared with whole numbers, floating-point numbers with "
                "floating-point numbers, and columns with as many columns of such kinds");
  return KeyConversion<Key, From>::allowed;
}

/// Whether every key of type `From` can be stored as a `Key`; fails to compile otherwise.
template <class Key, class From>
[[nodiscard]] consteval bool require_storable() {
  constexpr bool storable = KeyConversion<Key, From>::allowed && KeyConversion<Key, From>::always;
  static_assert(storable,
                "hashmill: keys of a type of which the table's key type cannot hold every value, "
                "and none is ever cut: convert them, or choose a wider key type");
  return storable;
}

/// A sought key as a `Key`; it must fit.
template <class Key, class From>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Key as_key(const From& from) {
  if constexpr (KeyConversion<Key, From>::allowed) {
    return KeyConversion<Key, From>::cast(from);
  } else {
    return Key{};  // refused elsewhere
  }
}

/// A key to be stored, as a `Key`.
template <class Key, class From>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Key as_stored(const From& from) {
  if constexpr (require_storable<Key, From>()) {
    return as_key<Key>(from);
  } else {
    return Key{};
  }
}

/// A row number as a `Row`. Where it is out of range, `no_row`, which no table takes.
template <RowNumber Row, class From>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Row as_row(const From& from) {
  using Conversion = KeyConversion<Row, From>;
  static_assert(Conversion::allowed, "hashmill: row numbers are whole numbers");
  if constexpr (Conversion::allowed) {
    if constexpr (Conversion::always) return Conversion::cast(from);
    return Conversion::fits(from) ? Conversion::cast(from) : no_row<Row>;
  }
  return no_row<Row>;
}

}  // namespace hashmill::detail
