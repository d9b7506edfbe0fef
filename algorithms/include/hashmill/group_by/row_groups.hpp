#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/row.hpp>

namespace hashmill {

/// The group of each row; rows with equal keys form a group. Owns its views.
///
///     group_of          Row x rows; the number of row i's group, 0 to size() - 1
///     representatives   Row x groups; one row of each group, where its key can be read
template <RowNumber Row, class MemorySpace>
struct RowGroups {
  using row_type = Row;
  using memory_space = MemorySpace;

  Kokkos::View<Row*, MemorySpace> group_of;
  Kokkos::View<Row*, MemorySpace> representatives;

  /// Number of groups.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint64_t size() const {
    return representatives.extent(0);
  }
  /// Number of rows.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint64_t num_rows() const { return group_of.extent(0); }
};

}  // namespace hashmill
