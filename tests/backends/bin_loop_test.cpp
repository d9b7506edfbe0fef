#include <gtest/gtest.h>

#include <hashmill/backends/bin_loop.hpp>
#include <vector>

#include "algorithms/slow_first.hpp"
#include "algorithms/views.hpp"
#include "backends/synthetic_machines.hpp"

namespace hashmill::test {
namespace {

using backends::NumaMode;
using backends::NumaPlan;
using backends::ScopedNumaPlan;

struct CountVisit {
  Kokkos::View<std::uint32_t*, Memory> visits;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { Kokkos::atomic_inc(&visits(i)); }
};

NumaPlan plan_of(const std::vector<unsigned>& nodes, NumaMode mode) {
  const backends::Topology machine = machine_of(nodes);
  return {machine, mode, machine.num_threads()};
}

TEST(BinLoop, VisitsEveryBinOnce) {
  for (const auto& nodes : {std::vector<unsigned>{4}, {1, 1}, {1, 3}, {2, 5, 1}}) {
    for (const NumaMode mode : backends::numa_modes) {
      const ScopedNumaPlan plan(plan_of(nodes, mode));
      for (const std::uint64_t bins : {0, 1, 2, 8, 9, 10, 4096, 10'001}) {
        const Kokkos::View<std::uint32_t*, Memory> visits("hashmill::test::visits", bins);
        Workspace<Memory> workspace;
        const Exec exec;
        backends::for_each_bin("hashmill::test", exec, bins, CountVisit{visits}, workspace);
        exec.fence("hashmill::test");
        ASSERT_EQ(to_host(visits), std::vector<std::uint32_t>(bins, 1))
            << nodes.size() << " nodes, " << to_string(mode);
      }
    }
  }
}

/// The order in which one thread takes bins.
struct ListVisits {
  std::vector<std::int64_t>* order;
  void operator()(std::int64_t i) const { order->push_back(i); }
};

TEST(BinLoop, ThreadsTakeTheBinsOfTheirNodeFirst) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const NumaPlan plan = plan_of({2, 1, 1}, NumaMode::local);
  for (unsigned thread = 0; thread < plan.num_threads(); ++thread) {
    Workspace<Kokkos::HostSpace> workspace;
    const Workspace<Kokkos::HostSpace>::Frame frame(workspace);
    const auto queues = backends::make_node_queues(Host(), plan, 100, workspace);
    Host().fence("hashmill::test");
    std::vector<std::int64_t> order;
    backends::DrainNodeQueues{queues, ListVisits{&order}}(thread);
    const std::int64_t first = thread < 2 ? 0 : 25 * thread;
    ASSERT_EQ(order.size(), 100U);
    for (std::int64_t i = 0; i < 100; ++i) {
      ASSERT_EQ(order[static_cast<std::size_t>(i)], (first + i) % 100) << "thread " << thread;
    }
  }
}

TEST(BinLoop, VisitsEveryBlockOnce) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  for (const NumaMode mode : backends::numa_modes) {
    const ScopedNumaPlan plan(plan_of({2, 1, 1}, mode));
    for (const std::uint64_t blocks : {0, 1, 3, 1000}) {
      const Kokkos::View<std::uint32_t*, Kokkos::HostSpace> visits("hashmill::test::visits",
                                                                   blocks);
      const auto visit = [=](std::int64_t i) { Kokkos::atomic_inc(&visits(i)); };
      backends::for_each_block("hashmill::test", Host(), blocks, visit);
      Host().fence("hashmill::test");
      for (std::uint64_t i = 0; i < blocks; ++i) ASSERT_EQ(visits(i), 1U) << to_string(mode);
    }
  }
}

TEST(BinLoop, OthersTakeTheBlocksOfASlowThread) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  if (Host().concurrency() < 2) GTEST_SKIP() << "there is no other thread";
  SlowFirst blocks(1000);
  backends::for_each_block("hashmill::test", Host(), 1000, [&](std::int64_t i) { blocks.run(i); });
  Host().fence("hashmill::test");
  EXPECT_EQ(blocks.done_beside_first(), 999U);
}

}  // namespace
}  // namespace hashmill::test
