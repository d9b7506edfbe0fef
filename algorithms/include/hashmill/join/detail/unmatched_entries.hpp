#pragma once

#include <hashmill/join/detail/matched_rows.hpp>
#include <hashmill/partition/detail/radix_sort_pairs.hpp>
#include <hashmill/primitives/detail/sized_output.hpp>

namespace hashmill::detail {

/// The rows of those entries of a table whose positions are marked as unmatched, as items of a
/// sized output.
template <class Parts, class Row>
struct UnmatchedEntries {
  struct Count {
    UnmatchedRows unmatched;
    std::uint64_t* count;
    KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t position, Row) const {
      if (unmatched(position)) ++*count;
    }
  };
  struct Write {
    UnmatchedRows unmatched;
    Row* rows;
    std::uint64_t* place;
    KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t position, Row row) const {
      if (unmatched(position)) rows[(*place)++] = row;
    }
  };

  Parts parts;
  UnmatchedRows unmatched;
  Row* rows = nullptr;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size(std::uint64_t p) const {
    std::uint64_t count = 0;
    parts.for_each_position(p, Count{unmatched, &count});
    return count;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t fill(std::uint64_t p, std::uint64_t place) const {
    parts.for_each_position(p, Write{unmatched, rows, &place});
    return place;
  }
};

/// Lists these rows by number, in memory of `workspace`. `placed` is the result of the pass that
/// counted them. Sorts the rows. Waits for `exec`.
template <class Exec, class Parts, class Row, class MemorySpace>
[[nodiscard]] auto list_unmatched(const Exec& exec, UnmatchedEntries<Parts, Row> entries,
                                  const PlacedTiles<MemorySpace>& placed,
                                  Workspace<MemorySpace>& workspace) {
  const auto rows = workspace.template take<Row>(exec, placed.total);
  entries.rows = rows.data();
  fill_item_tiles("hashmill::join::list_unmatched", exec, entries, entries.parts.size(), placed);
  const typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto beside = workspace.template take<Row>(exec, placed.total);
  Kokkos::deep_copy(exec, beside, no_row<Row>);
  RadixSortPairs<Exec, Row, MemorySpace> by_number(exec, rows.data(), beside.data(), placed.total,
                                                   workspace);
  by_number.add(false);
  by_number.sort();
  return rows;
}

}  // namespace hashmill::detail
