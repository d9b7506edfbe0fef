#pragma once

#include <hashmill/global_row.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

/// The numbers of a rank's rows, as a column that takes no memory.
struct SourceRows {
  using value_type = std::uint32_t;
  std::uint64_t count;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator()(std::uint64_t i) const {
    return static_cast<std::uint32_t>(i);
  }
};

/// Where the rows that a rank received came from. Without views: they are the rows of the only
/// rank.
template <class MemorySpace>
struct Origins {
  Kokkos::View<std::uint32_t*, MemorySpace> rows;      // of each received row, on its rank
  Kokkos::View<std::uint64_t*, MemorySpace> begin_of;  // the first received row of each rank

  /// The global row of a received row.
  KOKKOS_FORCEINLINE_FUNCTION GlobalRow operator()(std::uint32_t received) const {
    if (rows.data() == nullptr) return global_row(0, received);
    const std::uint64_t rank = owner_of(begin_of.data(), received, 0, begin_of.extent(0) - 1);
    return global_row(static_cast<std::uint32_t>(rank), rows(received));
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
