#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/backends/numa_plan.hpp>
#include <memory>

namespace hashmill::backends {

/// The blocks that the threads of a host's loop have still to do, in contiguous shares, one per
/// thread. A thread takes the blocks of its own share in order. Then it takes blocks that other
/// threads have left, first from its own NUMA node. Cores are seldom equally fast: of the 16 of one
/// virtual machine the slowest was 12 % behind. Copies share the remaining blocks.
class BlockShares {
 public:
  /// `count` blocks for `threads` threads on the nodes of `plan`, divided as a static schedule
  /// does.
  BlockShares(std::uint64_t count, std::uint64_t threads, const NumaPlan& plan)
      : shares_(std::make_unique<Share[]>(threads)), threads_(threads) {
    for (std::uint64_t t = 0; t < threads; ++t) {
      const unsigned node = plan.owner(t, threads);
      share(t) = {slice_begin(t, threads, count), slice_begin(t + 1, threads, count),
                  plan.slice_begin(node, threads), plan.slice_begin(node + 1, threads)};
    }
  }

  /// Calls `kernel(i)`, as `thread`, for blocks that no thread has taken, until none are left.
  template <class Kernel>
  void run(std::uint64_t thread, const Kernel& kernel) const {
    for (std::uint64_t step = 0; step < threads_; ++step) {
      Share& blocks = share(victim(thread, step));
      for (;;) {
        const std::uint64_t i = Kokkos::atomic_fetch_inc(&blocks.next);
        if (i >= blocks.end) break;
        kernel(static_cast<std::int64_t>(i));
      }
    }
  }

 private:
  /// In a cache line of its own, so that threads which work on their own shares do not disturb it.
  struct alignas(cache_line_bytes) Share {
    std::uint64_t next, end;
    std::uint64_t node_begin, node_end;  // the shares of the thread's node
  };

  /// The share from which `thread` takes in a step: its own, then those of its node, then all
  /// others.
  [[nodiscard]] std::uint64_t victim(std::uint64_t thread, std::uint64_t step) const {
    const std::uint64_t begin = share(thread).node_begin, end = share(thread).node_end;
    const std::uint64_t neighbours = end - begin;
    return step < neighbours ? begin + (thread - begin + step) % neighbours
                             : (end + step - neighbours) % threads_;
  }

  [[nodiscard]] Share& share(std::uint64_t thread) const { return shares_.get()[thread]; }

  std::shared_ptr<Share[]> shares_;
  std::uint64_t threads_;
};

}  // namespace hashmill::backends
