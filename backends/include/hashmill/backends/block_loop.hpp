#pragma once

#include <hashmill/backends/block_shares.hpp>
#include <hashmill/backends/numa_placement.hpp>
#include <hashmill/backends/thread_loop.hpp>

namespace hashmill::backends {

/// A thread's part in a host's loop over blocks.
struct RunBlocks {
  BlockShares blocks;
  HostKernel<std::int64_t> kernel;
  void operator()(std::uint64_t thread, std::byte*) const { blocks.run(thread, kernel); }
};

/// `count` blocks for the threads of `exec`, on the nodes of the plan in force.
template <ExecutionSpace Exec>
[[nodiscard]] BlockShares share_blocks(const Exec& exec, std::uint64_t count) {
  return {count, static_cast<std::uint64_t>(exec.concurrency()), numa_plan()};
}

/// Calls `kernel(i)` for each i below `count`, where calls take unequal times and the i-th works on
/// the i-th of as many blocks of some arrays, in the order of memory: bins of records, or queries
/// and their results. Asynchronous on `exec`. `kernel`: `void (std::int64_t) const`.
///
/// On hosts each thread has a contiguous share of the blocks, which on several NUMA nodes is its
/// slice by the plan in force (see BlockShares). So what it reads ahead behind one block is of the
/// next; and threads seldom meet in a huge page that is touched for the first time, which each
/// would clear (a twelfth of the time in which two built a HashGraph).
template <ExecutionSpace Exec, class Kernel>
void for_each_block(const char* label, const Exec& exec, std::uint64_t count,
                    const Kernel& kernel) {
  if constexpr (has_wide_teams<Exec>) {
    Kokkos::parallel_for(label, range(exec, count), kernel);
  } else {
    for_each_thread(label, exec, 0, RunBlocks{share_blocks(exec, count), kernel});
  }
}

}  // namespace hashmill::backends
