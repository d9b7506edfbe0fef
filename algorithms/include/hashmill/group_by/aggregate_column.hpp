#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/column.hpp>

namespace hashmill {

/// The results of one aggregation; element g is the result of group g. Owns its views.
template <class Value, class MemorySpace>
struct AggregateColumn {
  /// Value x groups; 0 where the result is null.
  Kokkos::View<Value*, MemorySpace> values;
  /// uint8 x (groups / 8, rounded up): Arrow's bitmap of the groups that have a result. Empty for
  /// aggregations whose results cannot be null.
  Kokkos::View<std::uint8_t*, MemorySpace> valid_bits;

  /// The results as a column, to group or join by. It refers to these views, which must outlive it.
  [[nodiscard]] auto column() const {
    const bool all_valid = valid_bits.extent(0) == 0;
    return hashmill::column(values,
                            all_valid ? Validity() : validity(valid_bits, values.extent(0)));
  }
};

}  // namespace hashmill
