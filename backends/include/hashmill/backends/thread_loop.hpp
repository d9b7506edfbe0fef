#pragma once

#include <hashmill/backends/host_kernel.hpp>
#include <hashmill/backends/streaming.hpp>

namespace hashmill::backends {

/// A team's call of a kernel for one thread.
struct RunThread {
  HostKernel<std::uint64_t, std::byte*> kernel;
  std::size_t scratch_bytes;

  template <class Member>
  void operator()(const Member& team) const {
    void* const scratch = team.team_scratch(1).get_shmem_aligned(scratch_bytes, cache_line_bytes);
    kernel(static_cast<std::uint64_t>(team.league_rank()), static_cast<std::byte*>(scratch));
  }
};

/// Calls `kernel(thread, scratch)` once per thread of a host, all concurrently. Each call has
/// `scratch_bytes` bytes of its own, aligned to a cache line. Asynchronous on `exec`. For loops
/// whose threads keep state from one iteration to the next. `kernel`: `void (std::uint64_t,
/// std::byte*) const`.
template <ExecutionSpace Exec, class Kernel>
void for_each_thread(const char* label, const Exec& exec, std::size_t scratch_bytes,
                     const Kernel& kernel) {
  Kokkos::TeamPolicy<Exec> policy(exec, exec.concurrency(), 1);
  const std::size_t aligned = scratch_bytes + cache_line_bytes;
  policy.set_scratch_size(1, Kokkos::PerTeam(static_cast<int>(aligned)));
  Kokkos::parallel_for(label, policy, RunThread{kernel, scratch_bytes});
}

}  // namespace hashmill::backends
