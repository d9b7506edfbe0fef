#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/index_loop.hpp>

namespace hashmill::perf {

/// Writes the number of each row.
template <class Rows>
struct NumberRows {
  Rows rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { rows(i) = static_cast<std::uint32_t>(i); }
};

/// A column of the numbers 0, 1, ... of rows. Fences `exec`.
template <class Exec>
auto numbered_rows(const Exec& exec, std::uint64_t count) {
  using Rows = Kokkos::View<std::uint32_t*, typename Exec::memory_space>;
  const auto rows = backends::allocate<Rows>(exec, "hashmill::perf::rows", count);
  backends::for_each_index("hashmill::perf::number_rows", exec, count, NumberRows<Rows>{rows});
  exec.fence("hashmill::perf::numbered_rows: they are there");
  return rows;
}

}  // namespace hashmill::perf
