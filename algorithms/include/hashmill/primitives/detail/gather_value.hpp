#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <hashmill/row.hpp>

namespace hashmill::detail {

/// Writes the value of a row to out(i), where rows(i) says which, or `otherwise` where that is
/// `no_row` or null.
template <class Values, class Rows, class Out>
struct GatherValue {
  Values values;
  Rows rows;
  Out out;
  typename Out::non_const_value_type otherwise;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null([[maybe_unused]] std::uint64_t row) const {
    if constexpr (requires { values.is_null(row); }) return values.is_null(row);
    return false;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using Row = typename Rows::non_const_value_type;
    const Row row = rows(i);
    out(i) = row == no_row<Row> || is_null(row) ? otherwise : values(row);
  }
};

/// The numbers of all rows, as a list of rows.
struct EveryRowNumber {
  using non_const_value_type = std::uint64_t;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i; }
};

}  // namespace hashmill::detail
