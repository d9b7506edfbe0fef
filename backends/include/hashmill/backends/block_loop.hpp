#pragma once

#include <hashmill/backends/host_kernel.hpp>
#include <hashmill/backends/launch.hpp>

namespace hashmill::backends {

/// A team's block of a host's loop, and where there are more blocks than teams, every block from
/// there on in steps of as many as there are teams.
struct RunBlocks {
  HostKernel<std::int64_t> kernel;
  std::int64_t count;

  template <class Member>
  void operator()(const Member& team) const {
    for (std::int64_t i = team.league_rank(); i < count; i += team.league_size()) kernel(i);
  }
};

/// Calls `kernel(i)` for each i below `count`, where calls take unequal times and the i-th works on
/// the i-th of as many blocks of some arrays, in the order of memory: bins of records, or queries
/// and their results. Asynchronous on `exec`. `kernel`: `void (std::int64_t) const`.
///
/// On hosts each thread has a contiguous share of the blocks and, when it is done, takes over what
/// others have left (see shared_teams). So what it reads ahead behind one block is of the next;
/// and threads seldom meet in a huge page that is touched for the first time, which each would
/// clear (a twelfth of the time in which two built a HashGraph). On several NUMA nodes shares are a
/// plan's slices but for a few blocks, and what a thread takes over may be another node's.
template <ExecutionSpace Exec, class Kernel>
void for_each_block(const char* label, const Exec& exec, std::uint64_t count,
                    const Kernel& kernel) {
  if constexpr (has_wide_teams<Exec>) {
    Kokkos::parallel_for(label, range(exec, count), kernel);
  } else {
    Kokkos::parallel_for(label, shared_teams(exec, count),
                         RunBlocks{kernel, static_cast<std::int64_t>(count)});
  }
}

}  // namespace hashmill::backends
