#pragma once

#include <cstdint>
#include <hashmill/backends/launch.hpp>

namespace hashmill::backends {

/// Adds `value` to a counter of 32 or 64 bits in team scratch, and returns its previous value.
///
///     | teams        | instruction                                                               |
///     |--------------|---------------------------------------------------------------------------|
///     | one thread   | a plain add; Kokkos's host atomics stay locked instructions even then,    |
///     |              | which cost several times as much                                          |
///     | CUDA and HIP | the compiler's own atomic, a shared-memory instruction once the address   |
///     |              | is known to be scratch; Kokkos's is written for any address and cannot be |
///     | other        | Kokkos's atomic                                                           |
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

/// Which of `team_threads` adjacent records the thread of that rank should take when each record
/// fetch-adds a counter: a permutation of the ranks.
///
/// A warp's additions to one address run one after another. In sorted input with repeated keys all
/// 32 neighbours could have one key. The halves of a warp therefore take records half a team apart;
/// within each half loads stay coalesced. On an H200 a build of 2^27 sorted keys that repeat 32
/// times takes 3.8 ms instead of 4.4, at no cost to other input.
template <ExecutionSpace Exec>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t spread_rank(std::uint32_t rank) {
  constexpr std::uint32_t size = team_threads<Exec>, warp = 32, half = warp / 2;
  if constexpr (size < warp) {
    return rank;
  } else {
    return rank / warp * half + rank % warp / half * (size / 2) + rank % half;
  }
}

}  // namespace hashmill::backends
