#pragma once

#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/multi_map/detail/entry_parts.hpp>
#include <hashmill/primitives/detail/bitmap.hpp>

namespace hashmill::detail {

/// Widens the range of the row numbers seen so far.
template <class Range>
struct WidenRowRange {
  Range* seen;
  template <class Key, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Key&, Row row) const {
    if (row < seen->min_val) seen->min_val = row;
    if (row > seen->max_val) seen->max_val = row;
  }
};

template <class Parts>
struct WidenByPart {
  using value_type = typename Kokkos::MinMax<std::uint64_t>::value_type;
  Parts parts;
  KOKKOS_FUNCTION void operator()(std::int64_t p, value_type& seen) const {
    parts(static_cast<std::uint64_t>(p), WidenRowRange<value_type>{&seen});
  }
};

/// The rows of a side that nothing has matched yet: one bit per row, which kernels clear. There are
/// no bits if nobody asks for unmatched rows. Bits may be numbered by position instead of by row;
/// `first` is then 0.
struct UnmatchedRows {
  Bitmap bits{nullptr};
  std::uint64_t first = 0;  // the row number of bit 0
  std::uint64_t count = 0;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool asked() const { return bits.words != nullptr; }
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION void match(Row row) const {
    const std::uint64_t i = row - first;
    if (bits.test_now(i)) bits.test_and_clear(i);  // most repeat: look before writing
  }
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t i) const { return bits.test(i); }
};

/// Marks rows 0 to count - 1 as unmatched, in memory of `workspace`. Asynchronous.
template <class Exec, class MemorySpace>
UnmatchedRows all_unmatched(const Exec& exec, std::uint64_t count,
                            Workspace<MemorySpace>& workspace) {
  const auto words = workspace.template take<std::uint32_t>(exec, Bitmap::words_for(count));
  Kokkos::deep_copy(exec, words, ~std::uint32_t{0});
  return {{words.data()}, 0, count};
}

/// Whether bit `first + i` says that its row is unmatched.
struct KeepInRange {
  UnmatchedRows rows;
  std::uint64_t first;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t i) const { return rows(first + i); }
};

/// Enters every row of a table. Counts the rows that were entered before.
template <class Parts>
struct EnterRows {
  Parts parts;
  UnmatchedRows rows;
  struct Enter {
    UnmatchedRows rows;
    std::uint64_t* repeated;
    template <class Key, class Row>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(const Key&, Row row) const {
      if (rows.bits.test_and_set(row - rows.first)) ++*repeated;
    }
  };
  KOKKOS_FUNCTION void operator()(std::int64_t p, std::uint64_t& repeated) const {
    parts(static_cast<std::uint64_t>(p), Enter{rows, &repeated});
  }
};

/// Whether one bit for each of `numbers` row numbers takes little memory beside the table. If
/// entries have no positions, the answer is yes: such tables number their rows one after another,
/// so they have no more row numbers than room.
template <class Parts>
[[nodiscard]] bool are_dense_rows(const Parts& parts, std::uint64_t numbers) {
  constexpr std::uint64_t most_bits = 8;  // per position: an eighth of the smallest entry
  if constexpr (PositionedParts<Parts>) {
    return numbers / most_bits <= parts.num_positions();
  } else {
    return true;
  }
}

/// Sets `rows` to all rows of a table, as unmatched, in memory of `workspace`: one bit per number
/// from the smallest row to the largest. Returns false if that does not work, so that bits must be
/// numbered by position: the row numbers are too sparse, or several entries have the same one.
/// Reads the table twice. Waits for `exec`.
template <class Exec, class Parts, class MemorySpace>
[[nodiscard]] bool enter_rows(const Exec& exec, const Parts& parts, UnmatchedRows& rows,
                              Workspace<MemorySpace>& workspace) {
  using Range = Kokkos::MinMax<std::uint64_t>;
  typename Range::value_type range;
  Kokkos::parallel_reduce("hashmill::join::row_range", backends::range(exec, parts.size()),
                          WidenByPart<Parts>{parts}, Range(range));
  // Empty. The table's own size may not count yet what was inserted without waiting.
  if (range.min_val > range.max_val) return true;
  const std::uint64_t count = range.max_val - range.min_val + 1;
  if (!are_dense_rows(parts, count)) return false;
  const auto words = workspace.template take<std::uint32_t>(exec, Bitmap::words_for(count));
  Kokkos::deep_copy(exec, words, std::uint32_t{0});
  rows = {{words.data()}, range.min_val, count};
  std::uint64_t repeated = 0;
  Kokkos::parallel_reduce("hashmill::join::enter_rows", backends::range(exec, parts.size()),
                          EnterRows<Parts>{parts, rows}, repeated);
  return repeated == 0;
}

}  // namespace hashmill::detail
