#pragma once

#include <cstddef>
#include <hashmill/columns.hpp>

namespace hashmill::detail {

/// Whether a column holds integers, which are compared as they are.
template <class Column>
inline constexpr bool is_integer_column = false;
template <WholeNumberKey Value, class MemorySpace, bool Strided>
inline constexpr bool is_integer_column<ValueColumn<Value, MemorySpace, Strided>> = true;

/// Integer columns side by side in one word: a key source. The first column takes the lowest bytes,
/// and column c takes `Bytes[c]` of them. Words are equal if all columns are equal, as long as no
/// row has a null.
template <class Cols, std::size_t... Bytes>
class PackedColumns;
template <class... Cols, std::size_t... Bytes>
class PackedColumns<Columns<Cols...>, Bytes...> {
  using List = ValueList<Cols...>;

 public:
  using memory_space = typename Columns<Cols...>::memory_space;
  using Word = std::conditional_t<(Bytes + ...) <= 4, std::uint32_t, std::uint64_t>;

  explicit PackedColumns(const Columns<Cols...>& columns)
      : columns_(columns.list()), size_(columns.size()) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return size_; }
  KOKKOS_FORCEINLINE_FUNCTION Word operator()(std::uint64_t i) const {
    return static_cast<Word>(pack<Bytes...>(i, columns_));
  }

 private:
  template <std::size_t Mine, std::size_t... Others, class Some>
  static KOKKOS_FORCEINLINE_FUNCTION std::uint64_t pack(std::uint64_t i, const Some& some) {
    const std::uint64_t value = canonical_bits(some.first(i));
    if constexpr (sizeof...(Others) == 0) {
      return value;
    } else {
      constexpr unsigned bits = 8 * Mine;
      return (value & ((std::uint64_t{1} << bits) - 1)) | pack<Others...>(i, some.rest) << bits;
    }
  }

  List columns_;
  std::uint64_t size_;
};

template <class Keys>
inline constexpr bool is_packed_columns = false;
template <class Cols, std::size_t... Bytes>
inline constexpr bool is_packed_columns<PackedColumns<Cols, Bytes...>> = true;

/// Bytes of the type in which numbers of two columns are compared by value. One byte more than a
/// word if there is no such type.
template <class Left, class Right>
[[nodiscard]] consteval std::size_t bytes_in_common() {
  using Common = CommonKey<typename Left::value_type, typename Right::value_type>;
  if constexpr (std::is_void_v<Common>) {
    return sizeof(std::uint64_t) + 1;
  } else {
    return sizeof(Common);
  }
}
template <class Left, class Right>
inline constexpr std::size_t packed_bytes = bytes_in_common<Left, Right>();

/// Whether the columns of two sides fit one word, and their type when they are packed.
template <class Left, class Right>
struct PackedSides {
  static constexpr bool fit = false;
};
template <class... Left, class... Right>
  requires(sizeof...(Left) == sizeof...(Right) && (is_integer_column<Left> && ...) &&
           (is_integer_column<Right> && ...) &&
           (packed_bytes<Left, Right> + ... + std::size_t{0}) <= sizeof(std::uint64_t))
struct PackedSides<Columns<Left...>, Columns<Right...>> {
  static constexpr bool fit = true;
  template <class Side>
  using Packed = PackedColumns<Side, packed_bytes<Left, Right>...>;
};

[[nodiscard]] inline bool any_can_be_null(const ValueList<>&) { return false; }
template <class First, class... Rest>
[[nodiscard]] bool any_can_be_null(const ValueList<First, Rest...>& columns) {
  return columns.first.can_be_null() || any_can_be_null(columns.rest);
}

}  // namespace hashmill::detail
