#pragma once

#include <cstddef>
#include <cstdint>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/unroll.hpp>

namespace hashmill::backends {

/// Bytes of team scratch that `TeamScan` takes.
inline constexpr std::size_t team_scan_bytes = 64;

/// Exclusive prefix sums over the threads of a team.
///
/// On CUDA it uses warp shuffles and one barrier. Elsewhere it is Kokkos's `team_scan`, which on
/// CUDA goes through scratch in some forty steps: a fifth of the time of a kernel that scans once
/// per tile. Every thread of the team constructs and calls it. Put a barrier between two calls.
template <ExecutionSpace Exec, class Member>
class TeamScan {
 public:
  /// Takes at most `team_scan_bytes` of the scratch of `team`.
  KOKKOS_FORCEINLINE_FUNCTION explicit TeamScan(const Member& team)
      : team_(team),
        warp_sums_(static_cast<std::uint32_t*>(
            team.team_shmem().get_shmem_aligned(team_scan_bytes - 16, 16))) {}

  /// The sum of `value` over the threads before this one.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t exclusive_sum(std::uint32_t value) const {
#ifdef __CUDA_ARCH__
    constexpr unsigned warps = team_threads<Exec> / 32;
    static_assert(warps * sizeof(std::uint32_t) <= team_scan_bytes - 16);
    const unsigned lane = static_cast<unsigned>(team_.team_rank()) % 32;
    const unsigned warp = static_cast<unsigned>(team_.team_rank()) / 32;
    std::uint32_t inclusive = value;
    HASHMILL_UNROLL(5)
    for (unsigned distance = 1; distance < 32; distance *= 2) {
      const std::uint32_t below = __shfl_up_sync(0xFFFFFFFFU, inclusive, distance);
      if (lane >= distance) inclusive += below;
    }
    if (lane == 31) warp_sums_[warp] = inclusive;
    team_.team_barrier();
    std::uint32_t before = 0;
    HASHMILL_UNROLL(8)
    for (unsigned w = 0; w + 1 < warps; ++w) before += w < warp ? warp_sums_[w] : 0;
    return before + inclusive - value;
#else
    return team_.team_scan(value);
#endif
  }

 private:
  const Member& team_;
  std::uint32_t* warp_sums_;
};

}  // namespace hashmill::backends
