#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/backends/numa_plan.hpp>
#include <memory>

namespace hashmill::backends {

/// What the threads of a host's loop have still to do: blocks in contiguous shares, one a thread.
/// A thread takes its own share's blocks in order and then those that others have left, because
/// cores are seldom equally fast (of 16 of a virtual machine's, the slowest was 12 % behind): those
/// of its own NUMA node before those of any other. Copies share what is left.
class BlockShares {
 public:
  /// `count` blocks for `threads` threads, as a static schedule shares them out, on the nodes of
  /// `plan`.
  BlockShares(std::uint64_t count, std::uint64_t threads, const NumaPlan& plan)
      : shares_(std::make_unique<Share[]>(threads)), threads_(threads) {
    for (std::uint64_t t = 0; t < threads; ++t) {
      const unsigned node = plan.owner(t, threads);
      shares_[t].next = slice_begin(t, threads, count);
      shares_[t].end = slice_begin(t + 1, threads, count);
      shares_[t].node_begin = plan.slice_begin(node, threads);
      shares_[t].node_end = plan.slice_begin(node + 1, threads);
    }
  }

  /// Calls `kernel(i)` for blocks that nobody has taken, as `thread`, until there are none.
  template <class Kernel>
  void run(std::uint64_t thread, const Kernel& kernel) const {
    for (std::uint64_t step = 0; step < threads_; ++step) {
      Share& share = shares_[victim(thread, step)];
      for (;;) {
        const std::uint64_t i = Kokkos::atomic_fetch_inc(&share.next);
        if (i >= share.end) break;
        kernel(static_cast<std::int64_t>(i));
      }
    }
  }

 private:
  /// In a line of its own, which threads that have done theirs leave alone.
  struct alignas(cache_line_bytes) Share {
    std::uint64_t next, end;
    std::uint64_t node_begin, node_end;  // the shares of the thread's node
  };

  /// Whose share `thread` takes from `step`-th: from its own on those of its node, then the others.
  [[nodiscard]] std::uint64_t victim(std::uint64_t thread, std::uint64_t step) const {
    const std::uint64_t begin = shares_[thread].node_begin, end = shares_[thread].node_end;
    const std::uint64_t neighbours = end - begin;
    return step < neighbours ? begin + (thread - begin + step) % neighbours
                             : (end + step - neighbours) % threads_;
  }

  std::shared_ptr<Share[]> shares_;
  std::uint64_t threads_;
};

}  // namespace hashmill::backends
