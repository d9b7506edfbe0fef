#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace hashmill::detail {

/// The values of a column, zero or empty where it is null, so that what is stored or sent is
/// defined.
template <class Column>
struct ValueOrZero {
  using value_type = typename Column::value_type;
  Column column;
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    return column.is_null(i) ? value_type{} : static_cast<value_type>(column(i));
  }
};

}  // namespace hashmill::detail
