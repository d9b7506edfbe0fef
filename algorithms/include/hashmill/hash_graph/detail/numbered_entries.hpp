#pragma once

#include <hashmill/hash_graph/detail/table_layout.hpp>

namespace hashmill::detail {

/// Keys whose rows already have numbers: an array of pairs of a key and its row. If `by_place` is
/// set, the row follows from the position, and the second member of the pair is something else.
template <class Key, class Row>
struct NumberedEntries {
  const RecordPair<Key, Row>* entries;
  std::uint64_t count;
  bool by_place;           ///< row i is row_base + i
  std::uint64_t row_base;  ///< used when `by_place`

  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FORCEINLINE_FUNCTION RecordPair<Key, Row> operator()(std::uint64_t i) const {
    const RecordPair<Key, Row> entry = entries[i];
    return {entry.first, by_place ? static_cast<Row>(row_base + i) : entry.second};
  }
};

/// A KeyRow layout that takes its records from NumberedEntries.
template <class Layout>
struct NumberedLayout : Layout {
  explicit NumberedLayout(const Layout& layout) : Layout(layout) {}

  template <class Entries>
  KOKKOS_FORCEINLINE_FUNCTION typename Layout::Record record(const Entries& entries,
                                                             std::uint64_t i) const {
    return entries(i);
  }
};

}  // namespace hashmill::detail
