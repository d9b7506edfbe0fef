#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>
#include <hashmill/primitives/detail/records.hpp>

namespace hashmill {

/// Keys whose rows already have numbers: an array of `count` pairs of a key and its row. If
/// `by_place` is set, the row follows from the position, and the second member of a pair is
/// something else. Owns nothing: the pairs must stay while it is read.
template <class Key, class Row>
struct NumberedEntries {
  const detail::RecordPair<Key, Row>* entries;
  std::uint64_t count;
  bool by_place;           ///< row i is row_base + i
  std::uint64_t row_base;  ///< used when `by_place`

  /// Number of entries.
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t size() const { return count; }
  /// The key of entry i, and its row.
  KOKKOS_FORCEINLINE_FUNCTION detail::RecordPair<Key, Row> operator()(std::uint64_t i) const {
    const detail::RecordPair<Key, Row> entry = entries[i];
    return {entry.first, by_place ? static_cast<Row>(row_base + i) : entry.second};
  }
};

}  // namespace hashmill
