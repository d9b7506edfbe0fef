#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/unroll.hpp>

namespace hashmill::backends {

/// Bytes of team scratch that `TeamScan` takes for sums of 32 bits.
inline constexpr std::size_t team_scan_bytes = 64;
/// Bytes of team scratch that it takes for any sums.
inline constexpr std::size_t wide_team_scan_bytes = 96;

/// Exclusive prefix sums over the threads of a team.
///
/// On CUDA it uses warp shuffles and one barrier. Elsewhere it is Kokkos's `team_scan`, which on
/// CUDA goes through scratch in some forty steps: a fifth of the time of a kernel that scans once
/// per tile. Every thread of the team constructs and calls it. Put a barrier between two calls.
///
/// `Sum`: std::uint32_t or std::uint64_t. Sums wrap. `Threads`: of the team.
template <ExecutionSpace Exec, class Member, class Sum = std::uint32_t,
          int Threads = team_threads<Exec>>
class TeamScan {
  static constexpr unsigned warps = Threads / 32;

 public:
  /// Bytes of scratch that it takes at most: `team_scan_bytes` or `wide_team_scan_bytes` where
  /// teams have `team_threads`.
  static constexpr std::size_t scratch_bytes =
      std::max(sizeof(Sum) == 4 ? team_scan_bytes : wide_team_scan_bytes, warps * sizeof(Sum) + 16);

  /// Takes scratch of `team`.
  KOKKOS_FORCEINLINE_FUNCTION explicit TeamScan(const Member& team)
      : team_(team),
        warp_sums_(static_cast<Sum*>(team.team_shmem().get_shmem_aligned(scratch_bytes - 16, 16))) {
  }

  /// The sum of `value` over the threads before this one.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Sum exclusive_sum(Sum value) const {
#ifdef __CUDA_ARCH__
    const unsigned lane = static_cast<unsigned>(team_.team_rank()) % 32;
    const unsigned warp = static_cast<unsigned>(team_.team_rank()) / 32;
    Sum inclusive = value;
    HASHMILL_UNROLL(5)
    for (unsigned distance = 1; distance < 32; distance *= 2) {
      const Sum below = __shfl_up_sync(0xFFFFFFFFU, inclusive, distance);
      if (lane >= distance) inclusive += below;
    }
    if (lane == 31) warp_sums_[warp] = inclusive;
    team_.team_barrier();
    Sum before = 0;
    HASHMILL_UNROLL(8)
    for (unsigned w = 0; w + 1 < warps; ++w) before += w < warp ? warp_sums_[w] : 0;
    return before + inclusive - value;
#else
    return team_.team_scan(value);
#endif
  }

 private:
  const Member& team_;
  Sum* warp_sums_;
};

}  // namespace hashmill::backends
