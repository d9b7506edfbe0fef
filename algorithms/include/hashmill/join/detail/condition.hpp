#pragma once

#include <Kokkos_Core.hpp>

namespace hashmill::detail {

/// Refuses a view as the condition of a join at compile time. A view has no element for every pair
/// of rows.
template <class Match>
constexpr void require_condition() {
  static_assert(!Kokkos::is_view_v<Match>,
                "hashmill::join: a condition is a callable of two rows, not a view");
}

}  // namespace hashmill::detail
