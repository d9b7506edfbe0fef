#pragma once

#include <hashmill/backends/host_kernel.hpp>
#include <hashmill/backends/numa_placement.hpp>
#include <hashmill/backends/workspace.hpp>

namespace hashmill::backends {

/// Which iterations the threads of each NUMA node have still to take. An iteration is taken by
/// adding 1 to a counter, which is alone in its cache line.
struct NodeQueues {
  static constexpr std::uint64_t stride = cache_line_bytes / sizeof(std::uint64_t);
  std::uint64_t* next;           // node k's at k * stride
  const std::uint64_t* begin;    // of each node's iterations; behind the last, all of them
  const std::uint64_t* threads;  // likewise, of its threads
  std::uint64_t nodes;

  /// Takes an iteration of node `k`; its count is used up when the result is not below its end.
  [[nodiscard]] std::uint64_t take(std::uint64_t k) const {
    return Kokkos::atomic_fetch_inc(next + k * stride);
  }
};

/// A thread's share of a host's loop: iterations of its own node while there are any, then those
/// that other nodes have left.
struct DrainNodeQueues {
  NodeQueues queues;
  HostKernel<std::int64_t> kernel;

  void operator()(const std::int64_t thread) const {
    std::uint64_t own = 0;
    while (queues.threads[own + 1] <= static_cast<std::uint64_t>(thread)) ++own;
    for (std::uint64_t step = 0; step < queues.nodes; ++step) {
      const std::uint64_t k = (own + step) % queues.nodes;
      const std::uint64_t end = queues.begin[k + 1];
      for (std::uint64_t i = queues.take(k); i < end; i = queues.take(k)) {
        kernel(static_cast<std::int64_t>(i));
      }
    }
  }
};

/// Queues of `count` iterations, shared out as the plan shares bins, in the caller's frame of
/// `workspace`.
template <ExecutionSpace Exec, class MemorySpace>
[[nodiscard]] NodeQueues make_node_queues(const Exec& exec, const NumaPlan& plan,
                                          std::uint64_t count, Workspace<MemorySpace>& workspace) {
  const std::uint64_t nodes = plan.num_nodes();
  const auto next = workspace.template take<std::uint64_t>(exec, nodes * NodeQueues::stride);
  const auto begin = workspace.template take<std::uint64_t>(exec, nodes + 1);
  const auto threads = workspace.template take<std::uint64_t>(exec, nodes + 1);
  for (unsigned k = 0; k <= nodes; ++k) {
    const std::uint64_t first = plan.slice_begin(k, count);
    Kokkos::deep_copy(exec, Kokkos::subview(begin, k), first);
    Kokkos::deep_copy(exec, Kokkos::subview(threads, k), std::uint64_t{plan.first_thread(k)});
    if (k < nodes) Kokkos::deep_copy(exec, Kokkos::subview(next, k * NodeQueues::stride), first);
  }
  return {next.data(), begin.data(), threads.data(), nodes};
}

/// Calls `kernel(i)` for each i below `count`, of which the i-th reads and writes the i-th of as
/// many blocks of some arrays in order, long enough to be handed out one at a time; asynchronous on
/// `exec`, of a host.
///
/// Threads take blocks as they come to them, because cores are seldom equally fast; under a plan
/// that sorts by node, each has its share, whose pages are its node's.
template <ExecutionSpace Exec, class Kernel>
void for_each_block(const char* label, const Exec& exec, std::uint64_t count,
                    const Kernel& kernel) {
  const HostKernel<std::int64_t> visit(kernel);
  if (numa_plan().sorts_by_node()) {
    Kokkos::parallel_for(label, range(exec, count), visit);
  } else {
    Kokkos::parallel_for(label, uneven_range(exec, count), visit);
  }
}

/// Calls `kernel(i)` for each i below `count`, where calls take unequal times and the i-th works on
/// the i-th of as many bins, in the order of memory; asynchronous on `exec`.
///
/// Threads take one iteration at a time; under a plan that sorts by node, those of their own node's
/// bins first. `kernel`: `void (std::int64_t) const`.
template <ExecutionSpace Exec, class Kernel, class MemorySpace>
void for_each_bin(const char* label, const Exec& exec, std::uint64_t count, const Kernel& kernel,
                  Workspace<MemorySpace>& workspace) {
  if constexpr (!has_wide_teams<Exec>) {
    const NumaPlan& plan = numa_plan();
    if (plan.sorts_by_node() && count > plan.num_threads()) {
      const typename Workspace<MemorySpace>::Frame frame(workspace);
      const NodeQueues queues = make_node_queues(exec, plan, count, workspace);
      Kokkos::parallel_for(label, range(exec, plan.num_threads()), DrainNodeQueues{queues, kernel});
      return;
    }
  }
  Kokkos::parallel_for(label, uneven_range(exec, count), launchable<Exec, std::int64_t>(kernel));
}

}  // namespace hashmill::backends
