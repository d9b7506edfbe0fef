#pragma once

#include <algorithm>
#include <hashmill/backends/launch.hpp>

namespace hashmill::detail {

/// Sorts a few rows in one thread of a device: at most 16 by insertion, more as a heap.
template <class Row>
KOKKOS_FUNCTION void sort_few(Row* rows, std::uint64_t count) {
  constexpr std::uint64_t insertion = 16;
  if (count <= insertion) {
    for (std::uint64_t i = 1; i < count; ++i) {
      const Row row = rows[i];
      std::uint64_t j = i;
      for (; j > 0 && rows[j - 1] > row; --j) rows[j] = rows[j - 1];
      rows[j] = row;
    }
    return;
  }
  std::uint64_t root = count / 2, end = count;
  while (end > 1) {  // first makes the heap, then takes the largest off it, again and again
    Row row;
    if (root > 0) {
      row = rows[--root];
    } else {
      row = rows[--end];
      rows[end] = rows[0];
    }
    std::uint64_t parent = root;
    for (std::uint64_t child = 2 * parent + 1; child < end; child = 2 * parent + 1) {
      if (child + 1 < end && rows[child + 1] > rows[child]) ++child;
      if (rows[child] <= row) break;
      rows[parent] = rows[child];
      parent = child;
    }
    rows[parent] = row;
  }
}

/// Sorts the right rows of each run of pairs with one left row, one thread per run. Leaves runs of
/// more than `longest` pairs as they are, and counts them.
template <class Row>
struct OrderRuns {
  const Row* left;
  Row* right;
  std::uint64_t count;
  std::uint64_t longest;

  /// Returns the length of the run that begins at `begin`: 0 if no run begins there or it is in
  /// order, and more than `longest` if it is too long.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t run_length(std::uint64_t begin) const {
    const Row row = left[begin];
    if (begin != 0 && left[begin - 1] == row) return 0;
    bool in_order = true;
    std::uint64_t end = begin + 1;
    while (end < count && left[end] == row && end - begin <= longest) {
      in_order = in_order && right[end - 1] <= right[end];
      ++end;
    }
    return in_order && end - begin <= longest ? 0 : end - begin;
  }
};

template <class Row>
struct OrderRunsDevice : OrderRuns<Row> {
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& too_long) const {
    const auto begin = static_cast<std::uint64_t>(i);
    const std::uint64_t length = this->run_length(begin);
    if (length > this->longest) {
      ++too_long;
    } else if (length > 1) {
      sort_few(this->right + begin, length);
    }
  }
};

template <class Row>
struct OrderRunsHost : OrderRuns<Row> {
  void operator()(std::int64_t i, std::uint64_t& too_long) const {
    const auto begin = static_cast<std::uint64_t>(i);
    const std::uint64_t length = this->run_length(begin);
    if (length > this->longest) {
      ++too_long;
    } else if (length > 1) {
      std::sort(this->right + begin, this->right + begin + length);
    }
  }
};

/// Orders pairs that are in the order of their left rows by their right rows. Returns the number of
/// runs that are too long for it. Waits for `exec`.
template <class Exec, class Row>
std::uint64_t order_runs(const Exec& exec, const Row* left, Row* right, std::uint64_t count) {
  constexpr bool device = backends::has_wide_teams<Exec>;
  using Runs = std::conditional_t<device, OrderRunsDevice<Row>, OrderRunsHost<Row>>;
  constexpr std::uint64_t longest = device ? 1024 : 65536;  // some milliseconds for a thread
  std::uint64_t too_long = 0;
  Kokkos::parallel_reduce("hashmill::join::order_runs", backends::range(exec, count),
                          Runs{{left, right, count, longest}}, too_long);
  return too_long;
}

/// Counts neighbouring pairs of one left row whose right rows are not in order.
template <class Row>
struct CountDescents {
  const Row* left;
  const Row* right;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& descents) const {
    if (left[i] == left[i + 1] && right[i] > right[i + 1]) ++descents;
  }
};

}  // namespace hashmill::detail
