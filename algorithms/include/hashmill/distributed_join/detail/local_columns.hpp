#pragma once

#include <hashmill/columns.hpp>
#include <hashmill/distributed_join/join_side.hpp>
#include <hashmill/owned_column.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>
#include <tuple>
#include <type_traits>
#include <utility>

namespace hashmill::detail {

/// A column as a join reads it where it lies. Columns of the caller and those that travelled have
/// the same type here, so that the join of both is compiled once.
template <class MemorySpace, class Column>
[[nodiscard]] auto local_column(const Column& column) {
  if constexpr (is_contiguous_view<Column>) {
    using Value = typename Column::non_const_value_type;
    return Kokkos::View<const Value*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        column.data(), column.extent(0));
  } else {
    return column;
  }
}
template <class MemorySpace, class Offset, class Memory>
[[nodiscard]] auto local_column(const StringColumn<Offset, Memory>& column) {
  return column.with_unsigned_offsets();
}
template <class MemorySpace, class Value, class Memory>
[[nodiscard]] auto local_column(const OwnedColumn<Value, Memory>& column) {
  return column.column();
}
template <class MemorySpace, class Memory>
[[nodiscard]] auto local_column(const OwnedStrings<Memory>& column) {
  return column.column();
}
/// All columns of a side.
template <class MemorySpace, class... Columns>
[[nodiscard]] auto local_columns(const std::tuple<Columns...>& columns) {
  return std::apply(
      [](const auto&... column) { return std::tuple(local_column<MemorySpace>(column)...); },
      columns);
}

/// Whether a join reads a key of one column as numbers rather than as rows of columns.
template <class Column>
inline constexpr bool is_number_key =
    Kokkos::is_view_v<Column> && !std::is_floating_point_v<KeyOf<Column>>;

/// The key of a side: a view of numbers, or rows of columns. `AsNumbers` says which, and is the
/// same for both sides.
template <bool AsNumbers, class Columns, std::size_t... KeyColumns>
[[nodiscard]] auto key_of_columns(const Columns& all, std::index_sequence<KeyColumns...>,
                                  bool nulls_equal) {
  if constexpr (AsNumbers) {
    static_cast<void>(nulls_equal);  // there are none
    return std::get<KeyColumns...>(all);
  } else {
    const auto keys = columns(std::get<KeyColumns>(all)...);
    return nulls_equal ? keys.nulls_equal() : keys;
  }
}

/// Whether the keys of two sides are joined as numbers: views of one type.
template <class Left, class LeftKeys, class Right, class RightKeys>
inline constexpr bool joins_numbers = false;
template <class Left, std::size_t L, class Right, std::size_t R>
inline constexpr bool joins_numbers<Left, std::index_sequence<L>, Right, std::index_sequence<R>> =
    is_number_key<std::tuple_element_t<L, Left>>&& std::is_same_v<
        KeyOf<std::tuple_element_t<L, Left>>, KeyOf<std::tuple_element_t<R, Right>>>&&
        is_number_key<std::tuple_element_t<R, Right>>;

/// Throws InvalidArgument unless all columns of a side have the same number of rows.
template <class... Columns>
void require_equal_lengths(const char* operation, const std::tuple<Columns...>& columns) {
  std::apply([&](const auto&... column) { static_cast<void>(common_size(operation, column...)); },
             columns);
}

/// Whether two sides have the same key columns, and values of the same types.
template <class MemorySpace, class Side, class Other>
inline constexpr bool are_alike = false;
template <class MemorySpace, class Keys, class... Columns, class... Others>
  requires(sizeof...(Columns) == sizeof...(Others))
inline constexpr bool are_alike<MemorySpace, JoinSide<Keys, Columns...>,
                                JoinSide<Keys, Others...>> =
    (std::is_same_v<KeyOf<decltype(local_column<MemorySpace>(std::declval<const Columns&>()))>,
                    KeyOf<decltype(local_column<MemorySpace>(std::declval<const Others&>()))>> &&
     ...);

/// The columns of a batch of the side that an operator was `Made` with. Columns of other types are
/// refused at compile time, since their values would be cut. Throws InvalidArgument where columns
/// differ in length.
template <class MemorySpace, class Made, class Side>
[[nodiscard]] auto batch_columns(const char* operation, const Side& side) {
  static_assert(
      are_alike<MemorySpace, Made, Side>,
      "hashmill: batches of a join have the key columns, and values of the types, that it "
      "was made with");
  require_equal_lengths(operation, side.columns);
  return local_columns<MemorySpace>(side.columns);
}

}  // namespace hashmill::detail
