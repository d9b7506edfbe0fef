#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/row.hpp>
#include <utility>

namespace hashmill {

/// The rows of every query in compressed form (CSR): query `q` has `rows(offsets(q))` to
/// `rows(offsets(q + 1) - 1)`.
///
///     offsets: uint64 x (queries + 1), or none when default-constructed
///     rows:    Row x (matches of all queries)
///
/// Copies share the views. A moved-from result has none.
template <RowNumber Row, class MemorySpace>
struct CsrRows {
  using row_type = Row;
  using memory_space = MemorySpace;

  /// Where the rows of each query begin, and the end of the last.
  Kokkos::View<std::uint64_t*, MemorySpace> offsets;
  /// The rows of all queries, in the order of the queries.
  Kokkos::View<Row*, MemorySpace> rows;

  CsrRows() = default;
  /// Shares the views.
  CsrRows(const Kokkos::View<std::uint64_t*, MemorySpace>& its_offsets,
          const Kokkos::View<Row*, MemorySpace>& its_rows)
      : offsets(its_offsets), rows(its_rows) {}
  CsrRows(const CsrRows&) = default;
  CsrRows& operator=(const CsrRows&) = default;
  CsrRows(CsrRows&& other) noexcept
      : offsets(std::exchange(other.offsets, {})), rows(std::exchange(other.rows, {})) {}
  CsrRows& operator=(CsrRows&& other) noexcept {
    if (this == &other) return *this;
    offsets = std::exchange(other.offsets, {});
    rows = std::exchange(other.rows, {});
    return *this;
  }

  /// Number of queries answered.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint64_t num_queries() const {
    return offsets.extent(0) == 0 ? 0 : offsets.extent(0) - 1;
  }
  /// Number of rows of all queries together.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint64_t size() const { return rows.extent(0); }
};

/// Pairs of matching rows: `left(i)` matches `right(i)`. Copies share the views. A moved-from
/// result has none.
template <RowNumber RowA, RowNumber RowB, class MemorySpace>
struct RowPairs {
  using memory_space = MemorySpace;

  Kokkos::View<RowA*, MemorySpace> left;
  Kokkos::View<RowB*, MemorySpace> right;

  RowPairs() = default;
  /// Shares the views.
  RowPairs(const Kokkos::View<RowA*, MemorySpace>& its_left,
           const Kokkos::View<RowB*, MemorySpace>& its_right)
      : left(its_left), right(its_right) {}
  RowPairs(const RowPairs&) = default;
  RowPairs& operator=(const RowPairs&) = default;
  RowPairs(RowPairs&& other) noexcept
      : left(std::exchange(other.left, {})), right(std::exchange(other.right, {})) {}
  RowPairs& operator=(RowPairs&& other) noexcept {
    if (this == &other) return *this;
    left = std::exchange(other.left, {});
    right = std::exchange(other.right, {});
    return *this;
  }

  /// Number of pairs.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint64_t size() const { return left.extent(0); }
};

}  // namespace hashmill
