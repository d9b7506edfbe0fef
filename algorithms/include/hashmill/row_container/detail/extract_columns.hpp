#pragma once

#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/mark_valid.hpp>
#include <hashmill/primitives/detail/place_strings.hpp>
#include <hashmill/row_container/detail/read_rows.hpp>
#include <hashmill/row_container/nullable_out.hpp>
#include <string>

namespace hashmill::detail {

/// The rows that a caller names, in the form in which kernels read their numbers.
[[nodiscard]] inline RowsFrom<> numbers_of(const RowRange& which) { return {which.first}; }
template <class View>
[[nodiscard]] auto numbers_of(const View& which) {
  using Row = typename View::non_const_value_type;
  static_assert(RowNumber<Row>,
                "hashmill::RowContainer: rows are a RowRange or a view of row numbers");
  return WideListedRows<Row, KeyAccess<View>>{key_access(which)};
}

/// The number of those rows. Throws InvalidArgument where a range exceeds `size` rows.
[[nodiscard]] inline std::uint64_t count_rows(const RowRange& which, std::uint64_t size) {
  if (which.first <= size && which.count <= size - which.first) return which.count;
  throw InvalidArgument("RowContainer: " + std::to_string(which.count) + " rows from " +
                        std::to_string(which.first) + " on are not among " + std::to_string(size));
}
template <class View>
[[nodiscard]] std::uint64_t count_rows(const View& which, std::uint64_t) {
  return which.extent(0);
}

/// Throws InvalidArgument unless an output has the length of the rows.
template <class View>
void check_extracted(const View& out, std::uint64_t rows) {
  same_room("RowContainer::extract", "rows", rows, "values", out);
}
template <class Values, class Bits>
void check_extracted(const NullableOut<Values, Bits>& out, std::uint64_t rows) {
  check_extracted(out.values, rows);
  if (out.bits.extent(0) >= (rows + 7) / 8) return;
  throw InvalidArgument("RowContainer::extract: " + std::to_string(out.bits.extent(0)) +
                        " bytes are too short for the bits of " + std::to_string(rows) + " rows");
}

template <class View>
[[nodiscard]] bool has_bits(const View&) {
  return false;
}
template <class Values, class Bits>
[[nodiscard]] bool has_bits(const NullableOut<Values, Bits>&) {
  return true;
}

/// An output in the form in which the kernel writes it.
template <unsigned C, class Ref, class View>
[[nodiscard]] ColumnOut<C, View> column_out(const View& out) {
  static_assert(std::is_same_v<typename View::value_type, typename Ref::template value_type<C>>,
                "hashmill::RowContainer::extract: an output of the type of its column");
  return {out, nullptr};
}
template <unsigned C, class Ref, class Values, class Bits>
[[nodiscard]] auto column_out(const NullableOut<Values, Bits>& out) {
  auto column = column_out<C, Ref>(out.values);
  column.valid_bits = out.bits.data();
  return column;
}

/// The strings of a column at certain rows.
template <class Ref, unsigned C, class Rows>
struct StringsOfRows {
  Ref ref;
  Rows rows;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    const std::uint64_t row = rows(i);
    return row == no_row<std::uint64_t> || ref.template is_null<C>(row);
  }
  KOKKOS_FORCEINLINE_FUNCTION StringView operator()(std::uint64_t i) const {
    return ref.template value<C>(rows(i));
  }
};
template <unsigned C, class Ref, class Rows>
[[nodiscard]] StringsOfRows<Ref, C, Rows> strings_of_rows(const Ref& ref, const Rows& rows) {
  return {ref, rows};
}

}  // namespace hashmill::detail
