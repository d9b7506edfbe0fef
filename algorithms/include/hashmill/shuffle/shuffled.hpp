#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tuple>
#include <vector>

namespace hashmill {

/// Columns of the rows that a rank received. They are its own.
template <class MemorySpace, class... Values>
struct Shuffled {
  /// One view for each column that was sent, in the same order; their extent is `size()`.
  std::tuple<Kokkos::View<Values*, MemorySpace>...> columns;
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
