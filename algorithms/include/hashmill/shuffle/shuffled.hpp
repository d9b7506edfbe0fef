#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

namespace hashmill {

/// Columns of the rows that a rank received. They are its own.
///
///     | sent                                       | received as                            |
///     |--------------------------------------------|----------------------------------------|
///     | view; source without nulls                 | Kokkos::View<Value*, MemorySpace>      |
///     | column of values; dictionary of values     | OwnedColumn<Value, MemorySpace>        |
///     | column of strings; dictionary of strings   | OwnedStrings<MemorySpace>              |
template <class... Columns>
struct Shuffled {
  /// One for each column that was sent, in the same order; each has `size()` rows.
  std::tuple<Columns...> columns;
  /// Rank r's rows are those from offsets[r] to offsets[r + 1] - 1, in the order in which they had
  /// been there.
  std::vector<std::uint64_t> offsets;

  /// The number of rows.
  [[nodiscard]] std::uint64_t size() const { return offsets.empty() ? 0 : offsets.back(); }
  /// Column `I`.
  template <std::size_t I>
  [[nodiscard]] const auto& column() const {
    return std::get<I>(columns);
  }
};

}  // namespace hashmill
