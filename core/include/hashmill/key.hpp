#pragma once

#include <Kokkos_Macros.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <hashmill/detail/floating_bits.hpp>
#include <type_traits>

namespace hashmill {

/// A 16-byte key, such as a UUID or two packed columns.
struct alignas(16) Key128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  KOKKOS_INLINE_FUNCTION friend constexpr bool operator==(const Key128& a,
                                                          const Key128& b) noexcept {
    return ((a.low ^ b.low) | (a.high ^ b.high)) == 0;
  }
};

/// Keys that are one number: integers, enumerations, float and double of at most 8 bytes.
template <class Key>
concept ScalarKey = (std::is_integral_v<Key> || std::is_enum_v<Key> || std::same_as<Key, float> ||
                     std::same_as<Key, double>)&&(sizeof(Key) <= 8);

struct StringView;  // whose bytes are an address, not what it says

/// Keys that are equal exactly where their bytes are equal: without padding or floating-point
/// members.
template <class Key>
concept ByteKey = std::is_trivially_copyable_v<Key> &&
    std::has_unique_object_representations_v<Key> && !std::same_as<Key, StringView>;

/// Keys of 1 to 16 bytes, which tables store beside the rows.
template <class Key>
concept InlineKey = std::is_object_v<Key> &&(sizeof(Key) <= 16) && (ScalarKey<Key> || ByteKey<Key>);

namespace detail {

template <class Key>
concept WholeNumberKey = ScalarKey<Key> && !std::is_floating_point_v<Key>;
template <class Key>
concept FloatingKey = ScalarKey<Key> && std::is_floating_point_v<Key>;

/// The type of a number; for an enumeration its underlying integer type.
template <class Key>
struct NumberType {
  using type = Key;
};
template <class Key>
  requires std::is_enum_v<Key>
struct NumberType<Key> {
  using type = std::underlying_type_t<Key>;
};
template <ScalarKey Key>
using NumberOf = typename NumberType<Key>::type;

template <WholeNumberKey Key>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_negative(Key key) noexcept {
  if constexpr (std::is_signed_v<NumberOf<Key>>) return static_cast<NumberOf<Key>>(key) < 0;
  return false;
}

/// The widest unsigned type whose size divides `Bytes`.
template <std::size_t Bytes>
using WordDividing = std::conditional_t<
    Bytes % 8 == 0, std::uint64_t,
    std::conditional_t<Bytes % 4 == 0, std::uint32_t,
                       std::conditional_t<Bytes % 2 == 0, std::uint16_t, std::uint8_t>>>;

/// The bytes of a key of at most 16 bytes as a 128-bit number: first byte lowest, zeros above.
template <ByteKey Key>
  requires(sizeof(Key) <= 16)
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Key128 object_words(const Key& key) noexcept {
  using Word = WordDividing<sizeof(Key)>;
  constexpr unsigned count = sizeof(Key) / sizeof(Word);
  struct Words {
    Word values[count];
  };
  const auto words = __builtin_bit_cast(Words, key);
  Key128 result{};
  for (unsigned i = 0; i < count; ++i) {
    const unsigned bit = 8 * sizeof(Word) * i;
    (bit < 64 ? result.low : result.high) |= static_cast<std::uint64_t>(words.values[i])
                                             << (bit % 64);
  }
  return result;
}

}  // namespace detail

/// The 64 bits that stand for a scalar key, the same for every type that holds the same number.
///
///     | key                   | bits                                                             |
///     |-----------------------|------------------------------------------------------------------|
///     | integer, enumeration  | sign- or zero-extended                                           |
///     | float, double         | those of the double; -0.0 as 0.0, and every NaN as one NaN       |
///
/// -ffast-math does not change them.
template <ScalarKey Key>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint64_t canonical_bits(Key key) noexcept {
  if constexpr (std::is_floating_point_v<Key>) {
    constexpr std::uint64_t infinity = 0x7ff0000000000000;
    constexpr std::uint64_t quiet_nan = 0x7ff8000000000000;
    const std::uint64_t bits = detail::double_bits(key);
    const std::uint64_t magnitude = bits & 0x7fffffffffffffff;
    if (magnitude == 0) return 0;
    return magnitude > infinity ? quiet_nan : bits;
  } else {
    return static_cast<std::uint64_t>(static_cast<detail::NumberOf<Key>>(key));
  }
}

/// Whether two keys are equal. All tables, joins and group-bys use it unless they are given another
/// equality:
///
///     | of one key            | of the other               | equal                              |
///     |-----------------------|----------------------------|------------------------------------|
///     | whole number          | whole number of any type   | where they are the same number     |
///     | float, double         | float, double              | where they are the same number     |
///     | 0.0                   | -0.0                       | yes                                |
///     | NaN                   | NaN, whatever its bits     | yes                                |
///     | NaN                   | number                     | no                                 |
///     | whole number          | float, double              | does not compile                   |
///     | anything else         | the same, or by its own == | where `==` says so                 |
///
/// Whole numbers are integers, bool, characters and enumerations (by their underlying integer), of
/// at most 64 bits. They are compared by value: int -1 equals no unsigned number, and uint64 2^32 +
/// 5 equals no uint32.
struct KeyEqual {
  /// Whether two keys are equal; see the table above.
  template <class A, class B>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr bool operator()(const A& a,
                                                                      const B& b) const noexcept {
    constexpr bool whole = detail::WholeNumberKey<A> && detail::WholeNumberKey<B>;
    if constexpr (whole && !std::same_as<A, B>) {
      return canonical_bits(a) == canonical_bits(b) &&
             detail::is_negative(a) == detail::is_negative(b);
    } else if constexpr (detail::FloatingKey<A> && detail::FloatingKey<B>) {
      return canonical_bits(a) == canonical_bits(b);
    } else {
      constexpr bool pointers = std::is_pointer_v<A> && std::is_pointer_v<B>;
      static_assert(std::same_as<A, B> || std::is_class_v<A> || std::is_class_v<B> || pointers,
                    "hashmill::KeyEqual: numbers of different kinds, or wider than 64 bits and of "
                    "different types, are not compared: convert one of them first");
      return a == b;
    }
  }
  friend constexpr bool operator==(const KeyEqual&, const KeyEqual&) = default;
};

}  // namespace hashmill
