#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/row.hpp>

namespace hashmill {

/// The entries of a table, in no particular order: `rows(i)` has the key `keys(i)`. Owns both
/// views.
template <class Key, RowNumber Row, class MemorySpace>
struct TableEntries {
  using memory_space = MemorySpace;

  Kokkos::View<Key*, MemorySpace> keys;
  Kokkos::View<Row*, MemorySpace> rows;

  /// Number of entries.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::uint64_t size() const { return rows.extent(0); }
};

}  // namespace hashmill
