#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/primitives/detail/sized_output.hpp>

namespace hashmill::detail {

/// `first + i` for each number i for which a predicate holds, as items of a sized output.
template <class Keep, class Row>
struct KeptRows {
  Keep keep;
  std::uint64_t first = 0;
  Row* rows = nullptr;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size(std::uint64_t i) const {
    return keep(i) ? 1 : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t fill(std::uint64_t i, std::uint64_t place) const {
    if (keep(i)) rows[place++] = static_cast<Row>(first + i);
    return place;
  }
};

/// Whether the mark of a row is the wanted one.
struct IsMarked {
  const bool* marks;
  bool wanted;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t i) const { return marks[i] == wanted; }
};

/// Counts the numbers below `n` for which a predicate holds, in memory of `workspace`. Waits for
/// `exec`.
template <class Row, class Exec, class Keep, class MemorySpace>
PlacedTiles<MemorySpace> place_kept(const char* label, const Exec& exec, std::uint64_t n,
                                    const Keep& keep, Workspace<MemorySpace>& workspace) {
  return place_item_tiles(label, exec, KeptRows<Keep, Row>{keep}, n, workspace);
}

/// Writes `first + i` for each of those numbers i, in increasing order. Asynchronous.
template <class Exec, class Keep, class Row, class MemorySpace>
void write_kept(const char* label, const Exec& exec, std::uint64_t n, const Keep& keep,
                const PlacedTiles<MemorySpace>& placed, std::uint64_t first, Row* rows) {
  fill_item_tiles(label, exec, KeptRows<Keep, Row>{keep, first, rows}, n, placed);
}

}  // namespace hashmill::detail
