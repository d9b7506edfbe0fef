#pragma once

#include <hashmill/backends/host_kernel.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/error.hpp>
#include <limits>

namespace hashmill::detail {

/// Throws CapacityError when there are too many tiles for one launch.
inline void check_tiles(std::uint64_t tiles) {
  constexpr std::uint64_t limit = std::numeric_limits<int>::max();
  if (tiles > limit) throw CapacityError("too many tiles for one launch", tiles, limit);
}

/// Launches `kernel` with one team per tile, which hosts deal out evenly. Throws CapacityError when
/// there are too many tiles for one launch.
template <class Exec, class Kernel>
void launch_even_tiles(const char* label, const Exec& exec, std::uint64_t tiles,
                       const Kernel& kernel) {
  check_tiles(tiles);
  if (tiles == 0) return;
  using Policy = Kokkos::TeamPolicy<Exec>;
  Kokkos::parallel_for(label, Policy(exec, static_cast<int>(tiles), backends::team_threads<Exec>),
                       backends::launchable<Exec, const typename Policy::member_type&>(kernel));
}

/// Launches a host's tiles, as `launch_tiles` does; compiled once for all kernels.
template <class Exec>
void launch_host_tiles(
    const char* label, const Exec& exec, std::uint64_t tiles, std::size_t scratch_bytes,
    const backends::HostKernel<const typename Kokkos::TeamPolicy<Exec>::member_type&>& kernel) {
  check_tiles(tiles);
  auto policy = backends::shared_teams(exec, tiles);
  policy.set_scratch_size(1, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
  Kokkos::parallel_for(label, policy, kernel);
}

/// Launches `kernel` with one team per tile and `scratch_bytes` of scratch per team. The team
/// engine gets fast scratch and the policy `Policy`; the host engine gets memory of the thread. On
/// hosts, a thread that has finished its share of the tiles takes over tiles of others (see
/// `shared_teams`). Throws CapacityError when there are too many tiles for one launch.
template <bool Team, class Policy, class Exec, class Kernel>
void launch_tiles(const char* label, const Exec& exec, std::uint64_t tiles,
                  std::size_t scratch_bytes, const Kernel& kernel) {
  if constexpr (Team) {
    check_tiles(tiles);
    Policy policy(exec, static_cast<int>(tiles), backends::team_threads<Exec>);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes)));
    using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
    Kokkos::parallel_for(label, policy, backends::launchable<Exec, const Member&>(kernel));
  } else {
    launch_host_tiles(label, exec, tiles, scratch_bytes, kernel);
  }
}

}  // namespace hashmill::detail
