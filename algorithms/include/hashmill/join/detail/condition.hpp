#pragma once

#include <Kokkos_Core.hpp>

namespace hashmill::detail {

/// Refuses, at compile time, a view as the condition of a join: it has no element for every pair.
template <class Match>
constexpr void require_condition() {
  static_assert(!Kokkos::is_view_v<Match>,
                "hashmill::join: a condition is a callable of two rows, not a view");
}

}  // namespace hashmill::detail
