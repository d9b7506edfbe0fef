#pragma once

#include <hashmill/backends/execution.hpp>

namespace hashmill::backends {

/// Adds `value` to a counter in team scratch and returns what it held; for 32- and 64-bit counters.
///
/// Where a team has one thread it is a plain add, because Kokkos's host atomics stay locked
/// instructions even then, which costs several times the add. On CUDA and HIP it is the compiler's
/// own atomic, which becomes a shared-memory instruction once the address is known to be scratch;
/// Kokkos's is written for any address and cannot.
template <ExecutionSpace Exec, class Counter>
KOKKOS_FORCEINLINE_FUNCTION Counter team_fetch_add(Counter* counter, Counter value) {
  if constexpr (!has_wide_teams<Exec>) {
    const Counter before = *counter;
    *counter = before + value;
    return before;
  } else {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    return ::atomicAdd(counter, value);
#else
    return Kokkos::atomic_fetch_add(counter, value);
#endif
  }
}

}  // namespace hashmill::backends
