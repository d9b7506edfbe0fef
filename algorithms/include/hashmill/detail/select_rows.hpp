#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/launch.hpp>

namespace hashmill::detail {

template <class Keep>
struct CountKept {
  Keep keep;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& count) const {
    count += keep(static_cast<std::uint64_t>(i)) ? 1 : 0;
  }
};

template <class Keep, class Row>
struct WriteKept {
  Keep keep;
  std::uint64_t first;
  Row* rows;
  KOKKOS_FUNCTION void operator()(std::int64_t index, std::uint64_t& place, const bool last) const {
    const auto i = static_cast<std::uint64_t>(index);
    if (!keep(i)) return;
    if (last) rows[place] = static_cast<Row>(first + i);
    ++place;
  }
};

/// How many of the numbers below `n` a predicate holds for; waits for `exec`.
template <class Exec, class Keep>
std::uint64_t count_kept(const char* label, const Exec& exec, std::uint64_t n, const Keep& keep) {
  std::uint64_t count = 0;
  Kokkos::parallel_reduce(label, backends::range(exec, n), CountKept<Keep>{keep}, count);
  return count;
}

/// Writes `first + i` for each of those numbers i, in their order; asynchronous.
template <class Exec, class Keep, class Row>
void write_kept(const char* label, const Exec& exec, std::uint64_t n, const Keep& keep,
                std::uint64_t first, Row* rows) {
  Kokkos::parallel_scan(label, backends::range(exec, n), WriteKept<Keep, Row>{keep, first, rows});
}

}  // namespace hashmill::detail
