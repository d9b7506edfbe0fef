#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/column.hpp>

namespace hashmill {

/// The results of an aggregation, element g that of group g.
template <class Value, class MemorySpace>
struct AggregateColumn {
  Kokkos::View<Value*, MemorySpace> values;
  /// Which groups have a result, as Arrow's bitmap; of no bytes where all have by nature.
  Kokkos::View<std::uint8_t*, MemorySpace> valid_bits;

  /// The results as a column, to group or join by.
  [[nodiscard]] auto column() const {
    const bool all_valid = valid_bits.extent(0) == 0;
    return hashmill::column(values,
                            all_valid ? Validity() : validity(valid_bits, values.extent(0)));
  }
};

}  // namespace hashmill
