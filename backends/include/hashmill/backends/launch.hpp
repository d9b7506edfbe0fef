#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hashmill/backends/execution.hpp>
#include <limits>

namespace hashmill::backends {

/// How wide teams are launched and how much scratch one team may use.
///
/// 256 threads with many items each beat more threads with fewer items: on an H200 25 Gkeys/s
/// against 21 at 512 threads. Scratch is capped so that several teams stay resident on a
/// multiprocessor.
struct TeamShape {
  int threads;
  std::size_t scratch_bytes;
};

/// The most bytes of scratch that one team should use, where the hardware offers more.
inline constexpr std::size_t preferred_team_scratch_bytes = std::size_t{44} << 10;

/// Threads per team: a constant, so that strides fold into addresses.
template <ExecutionSpace Exec>
inline constexpr int team_threads = has_wide_teams<Exec> ? 256 : 1;

/// Teams that run at the same time; on hosts, threads.
template <ExecutionSpace Exec>
[[nodiscard]] std::uint64_t concurrent_teams(const Exec& exec) {
  const auto threads = static_cast<std::uint64_t>(team_threads<Exec>);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(exec.concurrency()) / threads);
}

/// Up to `count` teams of one thread on a host, limited by what one launch may have. Each thread
/// takes a contiguous share of them, one at a time, and then teams that others have left. That is
/// as in BlockShares, except that it begins with the next thread, whatever its NUMA node.
template <ExecutionSpace Exec>
[[nodiscard]] auto shared_teams(const Exec& exec, std::uint64_t count) {
  constexpr std::uint64_t most = std::numeric_limits<int>::max();
  Kokkos::TeamPolicy<Exec, Kokkos::Schedule<Kokkos::Dynamic>> policy(
      exec, static_cast<int>(std::min(count, most)), 1);
  return policy.set_chunk_size(1);
}

/// A policy for team kernels that hold many records in registers. Four teams must still fit a
/// multiprocessor, which limits registers to 64 per thread. Without the limit the compiler takes
/// 112 and two teams fit; partitioning is then a quarter slower on an H200.
template <ExecutionSpace Exec>
using RegisterBoundTeamPolicy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<256, 4>>;

/// The launch shape of team kernels on `Exec`; host spaces get teams of one thread.
///
/// Sized by `TeamPolicy::scratch_size_max(0)`, which leaves room for what Kokkos itself places
/// there (40,936 of 49,152 bytes remain on an H200 with Kokkos 5.0).
template <ExecutionSpace Exec>
[[nodiscard]] TeamShape team_shape() {
  const auto limit = static_cast<std::size_t>(Kokkos::TeamPolicy<Exec>::scratch_size_max(0));
  return {team_threads<Exec>, std::min(limit, preferred_team_scratch_bytes)};
}

}  // namespace hashmill::backends
