#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <hashmill/hash.hpp>
#include <hashmill/key.hpp>
#include <hashmill/key_conversion.hpp>
#include <hashmill/options.hpp>
#include <hashmill/string_view.hpp>
#include <type_traits>

namespace hashmill {

namespace detail {

/// Values of different types side by side. std::tuple is not for device code.
template <class... Values>
struct ValueList;
template <>
struct ValueList<> {};
template <class First, class... Rest>
struct ValueList<First, Rest...> {
  First first;
  ValueList<Rest...> rest;
};

inline ValueList<> list_values() { return {}; }
template <class First, class... Rest>
[[nodiscard]] ValueList<First, Rest...> list_values(const First& first, const Rest&... rest) {
  return {first, list_values(rest...)};
}

/// The type in which values of two columns are compared: the widest of their kind, so that columns
/// of 32 and 64 bits can be joined.
template <class Value>
struct WidestOfKind {
  static_assert(std::is_same_v<Value, StringView>, "hashmill: columns of numbers or strings");
  using type = std::conditional_t<std::is_arithmetic_v<Value>, double, Value>;  // ends errors
};
template <FloatingKey Value>
struct WidestOfKind<Value> {
  using type = double;
};
template <WholeNumberKey Value>
struct WidestOfKind<Value> {
  using type = IntegerOf<8, std::is_signed_v<NumberOf<Value>>>;
};

[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool same_values(const ValueList<>&, const ValueList<>&) {
  return true;
}
template <class First, class... Rest>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool same_values(const ValueList<First, Rest...>& a,
                                                           const ValueList<First, Rest...>& b) {
  return KeyEqual()(a.first, b.first) && same_values(a.rest, b.rest);
}

/// MurmurHash3 of a value, seeded with the hash of the values before it.
template <class Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t hash_onto(std::uint64_t hash,
                                                                  const Value& value) {
  if constexpr (ScalarKey<Value>) {
    return murmur3_fmix64(canonical_bits(value) ^ hash);
  } else {
    return murmur3_x64_128(value.data, value.size, hash).low;
  }
}

}  // namespace detail

/// The key of a row of one or more columns: its values, and how nulls compare. Values of nulls are
/// zero or empty, so that equal keys have equal members.
template <class... Values>
struct RowKey {
  /// The value of each column.
  detail::ValueList<Values...> values;
  std::uint64_t nulls = 0;  ///< bit c: column c is null
  /// 0, or 1 + the number of a row that equals no row, not even itself (SQL's nulls). Such rows
  /// hash by their number, so that any number of them spread over a table.
  std::uint64_t alone = 0;
};

namespace detail {

/// Rows with the same number of columns, of other types, converted column by column.
template <class... Keys, class... Others>
  requires(sizeof...(Keys) == sizeof...(Others) &&
           !std::is_same_v<RowKey<Keys...>, RowKey<Others...>>)
struct KeyConversion<RowKey<Keys...>, RowKey<Others...>> {
  using Key = RowKey<Keys...>;
  using From = RowKey<Others...>;
  static constexpr bool allowed = (KeyConversion<Keys, Others>::allowed && ...);
  static constexpr bool always = (KeyConversion<Keys, Others>::always && ...);
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool fits(const From& from) {
    return always || values_fit(ValueList<Keys...>{}, from.values);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Key cast(const From& from) {
    Key key{{}, from.nulls, from.alone};
    cast_values(key.values, from.values);
    return key;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static bool values_fit(const ValueList<>&, const ValueList<>&) {
    return true;
  }
  template <class First, class... Rest, class Other, class... More>
  KOKKOS_FORCEINLINE_FUNCTION static bool values_fit(const ValueList<First, Rest...>& key,
                                                     const ValueList<Other, More...>& from) {
    return KeyConversion<First, Other>::fits(from.first) && values_fit(key.rest, from.rest);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void cast_values(ValueList<>&, const ValueList<>&) {}
  template <class First, class... Rest, class Other, class... More>
  KOKKOS_FORCEINLINE_FUNCTION static void cast_values(ValueList<First, Rest...>& key,
                                                      const ValueList<Other, More...>& from) {
    key.first = KeyConversion<First, Other>::cast(from.first);
    cast_values(key.rest, from.rest);
  }
};

}  // namespace detail

/// Hashes a RowKey: MurmurHash3 of each value, seeded with the hash of the values before it. The
/// hash of a single scalar column is that of Murmur3Hash. Equal numbers of one kind (signed,
/// unsigned, floating) hash alike whatever their width.
class RowHash {
 public:
  RowHash() = default;
  /// The function with that seed; the default has seed 0.
  KOKKOS_INLINE_FUNCTION constexpr explicit RowHash(Seed seed) noexcept : of_number_(seed) {}

  /// The function of a level; see HashFamily.
  [[nodiscard]] constexpr RowHash at(HashLevel level, std::uint64_t number = 0) const noexcept {
    return RowHash(of_number_.at(level, number));
  }
  /// The function of another seed on top of this one; see HashFamily.
  [[nodiscard]] constexpr RowHash with(Seed seed) const noexcept {
    return RowHash(of_number_.with(seed));
  }
  /// The same function for a single scalar column.
  [[nodiscard]] constexpr const Murmur3Hash& of_number() const noexcept { return of_number_; }

  /// The hash of a key; equal on the host and on the device.
  template <class... Values>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(
      const RowKey<Values...>& key) const {
    const std::uint64_t salt = key.nulls == 0 && key.alone == 0
                                   ? std::uint64_t{0}
                                   : murmur3_fmix64(key.alone + (key.nulls << 48) + 1);
    return fold(of_number_.mixed_seed_ ^ salt, key.values);
  }

  friend constexpr bool operator==(const RowHash&, const RowHash&) = default;

 private:
  constexpr explicit RowHash(const Murmur3Hash& of_number) noexcept : of_number_(of_number) {}

  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t fold(std::uint64_t hash,
                                                        const detail::ValueList<>&) {
    return hash;
  }
  template <class First, class... Rest>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t fold(
      std::uint64_t hash, const detail::ValueList<First, Rest...>& values) {
    return fold(detail::hash_onto(hash, values.first), values.rest);
  }

  Murmur3Hash of_number_;
};

/// Compares RowKeys. They are equal where every column is null in both or has the same value in
/// both, and neither row is alone.
struct RowEqual {
  /// Whether two keys are equal.
  template <class... Values>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool operator()(const RowKey<Values...>& a,
                                                            const RowKey<Values...>& b) const {
    return (a.alone | b.alone) == 0 && a.nulls == b.nulls &&
           detail::same_values(a.values, b.values);
  }
  friend constexpr bool operator==(const RowEqual&, const RowEqual&) = default;
};

}  // namespace hashmill
