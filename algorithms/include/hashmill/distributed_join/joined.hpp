#pragma once

#include <cstdint>
#include <hashmill/owned_column.hpp>
#include <tuple>

namespace hashmill {

/// Rows that a join gives: the columns of both sides, all of `size()` rows. Row i pairs a left row
/// with a right row. Where a row has no partner, the columns of the other side are null.
///
/// `Left` and `Right` are tuples with an OwnedColumn or OwnedStrings for each column of the side.
template <class Left, class Right>
struct Joined {
  Left left;
  Right right;
  std::uint64_t rows = 0;

  /// The number of rows.
  [[nodiscard]] std::uint64_t size() const { return rows; }
  /// Column `I` of the left side.
  template <std::size_t I>
  [[nodiscard]] const auto& left_column() const {
    return std::get<I>(left);
  }
  /// Column `I` of the right side.
  template <std::size_t I>
  [[nodiscard]] const auto& right_column() const {
    return std::get<I>(right);
  }
};

}  // namespace hashmill
