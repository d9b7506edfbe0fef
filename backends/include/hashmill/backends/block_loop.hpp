#pragma once

#include <hashmill/backends/block_shares.hpp>
#include <hashmill/backends/numa_placement.hpp>
#include <hashmill/backends/thread_loop.hpp>

namespace hashmill::backends {

/// One thread's part of a loop over blocks on a host.
struct RunBlocks {
  BlockShares blocks;
  HostKernel<std::int64_t> kernel;
  void operator()(std::uint64_t thread, std::byte*) const { blocks.run(thread, kernel); }
};

/// `count` blocks for the threads of `exec`, shared out by the NUMA plan in force.
template <ExecutionSpace Exec>
[[nodiscard]] BlockShares share_blocks(const Exec& exec, std::uint64_t count) {
  return {count, static_cast<std::uint64_t>(exec.concurrency()), numa_plan()};
}

/// Calls `kernel(i)` for each i below `count`, where calls take unequal times. Call i works on
/// block i of some arrays, in the order of memory: a bin of records, or some queries and their
/// results. Asynchronous on `exec`. `kernel`: `void (std::int64_t) const`.
///
/// On hosts each thread has a contiguous share of the blocks. With several NUMA nodes the share is
/// the thread's slice by the plan in force (see BlockShares). Contiguous shares help twice:
///
/// - What a thread reads ahead past the end of one block belongs to its next block.
/// - Two threads seldom touch the same new huge page, which each of them would clear. That took a
///   twelfth of the time in which two threads built a HashGraph.
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
