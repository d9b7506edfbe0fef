#pragma once

#include <hashmill/backends/execution.hpp>

namespace hashmill::backends {

/// Adds `value` to a counter in team scratch and returns what it held.
///
/// A real atomic where a team has many threads; plain where it has one, because Kokkos's host
/// atomics stay locked instructions even then, which costs several times the add.
template <ExecutionSpace Exec, class Counter>
KOKKOS_FORCEINLINE_FUNCTION Counter team_fetch_add(Counter* counter, Counter value) {
  if constexpr (has_wide_teams<Exec>) {
    return Kokkos::atomic_fetch_add(counter, value);
  } else {
    const Counter before = *counter;
    *counter = before + value;
    return before;
  }
}

}  // namespace hashmill::backends
