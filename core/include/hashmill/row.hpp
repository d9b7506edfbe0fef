#pragma once

#include <Kokkos_Macros.hpp>
#include <concepts>
#include <cstdint>
#include <limits>

namespace hashmill {

/// A type that row numbers are stored in.
template <class Row>
concept RowNumber = std::same_as<Row, std::uint32_t> || std::same_as<Row, std::uint64_t>;

/// What a lookup returns for a key that has no row. No entry ever has this row number; see
/// `check_rows`.
template <RowNumber Row>
inline constexpr Row no_row = std::numeric_limits<Row>::max();

/// Consecutive row numbers: `count` from `first` up.
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// A source of row numbers, such as bulk inserts take beside keys: row i is `first + i`.
template <RowNumber Row = std::uint64_t>
struct RowsFrom {
  using value_type = Row;
  std::uint64_t first = 0;
  KOKKOS_FORCEINLINE_FUNCTION Row operator()(std::uint64_t i) const {
    return static_cast<Row>(first + i);
  }
};

}  // namespace hashmill
