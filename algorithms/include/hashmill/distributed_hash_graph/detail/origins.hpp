#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/global_row.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

/// Where the rows that a rank received came from. They lie in runs: those of rank 0, 1, ..., and
/// perhaps of all ranks again. Without views: they are the rows of the only rank.
template <class MemorySpace>
struct Origins {
  Kokkos::View<std::uint32_t*, MemorySpace> rows;    // of each received row, on its rank
  Kokkos::View<std::uint32_t*, MemorySpace> begins;  // of each run
  std::uint32_t ranks = 1;

  /// The global row of a received row.
  KOKKOS_FORCEINLINE_FUNCTION GlobalRow operator()(std::uint32_t received) const {
    if (rows.data() == nullptr) return global_row(0, received);
    const auto runs = static_cast<std::uint32_t>(begins.extent(0));
    return global_row(owner_of(begins.data(), received, 0, runs) % ranks, rows(received));
  }
};

/// Turns received rows into global ones; `no_row` stays.
template <class Origins, class Rows, class Out>
struct WriteOrigins {
  Origins origins;
  Rows rows;
  Out out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint32_t row = rows(i);
    out(i) = row == no_row<std::uint32_t> ? no_row<GlobalRow> : origins(row);
  }
};

}  // namespace hashmill::detail
