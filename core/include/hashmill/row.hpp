#pragma once

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

}  // namespace hashmill
