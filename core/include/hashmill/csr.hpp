#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/row.hpp>

namespace hashmill {

/// The rows of every query in compressed form: those of query `q` are `rows(offsets(q))` up to, and
/// without, `rows(offsets(q + 1))`.
///
///     offsets: uint64 x (queries + 1), or none when default-constructed
///     rows:    Row x (matches of all queries)
template <RowNumber Row, class MemorySpace>
struct CsrRows {
  using row_type = Row;
  using memory_space = MemorySpace;

  Kokkos::View<std::uint64_t*, MemorySpace> offsets;
  Kokkos::View<Row*, MemorySpace> rows;

  /// Number of queries answered.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint64_t num_queries() const {
    return offsets.extent(0) == 0 ? 0 : offsets.extent(0) - 1;
  }
  /// Number of rows of all queries together.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint64_t size() const { return rows.extent(0); }
};

/// Pairs of matching rows: `left(i)` matches `right(i)`.
template <RowNumber RowA, RowNumber RowB, class MemorySpace>
struct RowPairs {
  using memory_space = MemorySpace;

  Kokkos::View<RowA*, MemorySpace> left;
  Kokkos::View<RowB*, MemorySpace> right;

  /// Number of pairs.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint64_t size() const { return left.extent(0); }
};

}  // namespace hashmill
