#pragma once

#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/detail/bitmap.hpp>

namespace hashmill::detail {

/// Widens the range of row numbers seen.
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

/// The rows that nobody has matched yet: a bit each, which kernels clear. Of none where nobody
/// asks.
struct UnmatchedRows {
  Bitmap bits{nullptr};
  std::uint64_t first = 0;  // number of the row of bit 0
  std::uint64_t count = 0;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool asked() const { return bits.words != nullptr; }
  template <class Row>
  KOKKOS_FORCEINLINE_FUNCTION void match(Row row) const {
    const std::uint64_t i = row - first;
    if (bits.test_now(i)) bits.test_and_clear(i);  // most repeat: look before writing
  }
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t i) const { return bits.test(i); }
};

/// Rows 0 to count - 1, as unmatched, in memory of `workspace`; asynchronous.
template <class Exec, class MemorySpace>
UnmatchedRows all_unmatched(const Exec& exec, std::uint64_t count,
                            Workspace<MemorySpace>& workspace) {
  const auto words = workspace.template take<std::uint32_t>(exec, Bitmap::words_for(count));
  Kokkos::deep_copy(exec, words, ~std::uint32_t{0});
  return {{words.data()}, 0, count};
}

/// Whether bit `first + i` says unmatched.
struct KeepInRange {
  UnmatchedRows rows;
  std::uint64_t first;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t i) const { return rows(first + i); }
};

/// Enters every row of a table.
template <class Parts>
struct EnterRows {
  Parts parts;
  UnmatchedRows rows;
  struct Enter {
    UnmatchedRows rows;
    template <class Key, class Row>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(const Key&, Row row) const {
      rows.bits.test_and_set(row - rows.first);
    }
  };
  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    parts(static_cast<std::uint64_t>(p), Enter{rows});
  }
};

/// All rows of a table, as unmatched, in memory of `workspace`: a bit for every number from the
/// smallest to the largest. Reads the table twice; waits for `exec`.
template <class Exec, class Parts, class MemorySpace>
UnmatchedRows enter_rows(const Exec& exec, const Parts& parts, Workspace<MemorySpace>& workspace) {
  using Range = Kokkos::MinMax<std::uint64_t>;
  typename Range::value_type range;
  Kokkos::parallel_reduce("hashmill::join::row_range", backends::range(exec, parts.size()),
                          WidenByPart<Parts>{parts}, Range(range));
  // The table's own size may not know yet what was inserted without waiting.
  if (range.min_val > range.max_val) return {{nullptr}, 0, 0};
  const std::uint64_t count = range.max_val - range.min_val + 1;
  const auto words = workspace.template take<std::uint32_t>(exec, Bitmap::words_for(count));
  Kokkos::deep_copy(exec, words, std::uint32_t{0});
  const UnmatchedRows rows{{words.data()}, range.min_val, count};
  Kokkos::parallel_for("hashmill::join::enter_rows", backends::range(exec, parts.size()),
                       EnterRows<Parts>{parts, rows});
  return rows;
}

}  // namespace hashmill::detail
