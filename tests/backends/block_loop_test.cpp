#include <gtest/gtest.h>

#include <hashmill/backends/block_loop.hpp>
#include <vector>

#include "algorithms/support/slow_first.hpp"
#include "algorithms/support/views.hpp"
#include "synthetic_machines.hpp"

namespace hashmill::test {
namespace {

struct CountVisit {
  Kokkos::View<std::uint32_t*, Memory> visits;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { Kokkos::atomic_inc(&visits(i)); }
};

backends::NumaPlan plan_of(const std::vector<unsigned>& nodes) {
  const backends::Topology machine = machine_of(nodes);
  return {machine, backends::NumaMode::local, machine.num_threads()};
}

TEST(BlockLoop, VisitsEveryBlockOnce) {
  for (const auto& nodes : {std::vector<unsigned>{4}, {1, 1}, {1, 3}, {2, 5, 1}}) {
    const backends::ScopedNumaPlan plan(plan_of(nodes));
    for (const std::uint64_t blocks : {0, 1, 2, 8, 9, 10, 4096, 10'001}) {
      const Kokkos::View<std::uint32_t*, Memory> visits("hashmill::test::visits", blocks);
      const Exec exec;
      backends::for_each_block("hashmill::test", exec, blocks, CountVisit{visits});
      exec.fence("hashmill::test");
      ASSERT_EQ(to_host(visits), std::vector<std::uint32_t>(blocks, 1)) << nodes.size() << " nodes";
    }
  }
}

/// The order in which a thread takes blocks while the others take none.
std::vector<std::int64_t> order_of(std::uint64_t thread, const std::vector<unsigned>& nodes,
                                   std::uint64_t blocks) {
  const backends::NumaPlan plan = plan_of(nodes);
  std::vector<std::int64_t> order;
  backends::BlockShares(blocks, plan.num_threads(), plan).run(thread, [&](std::int64_t i) {
    order.push_back(i);
  });
  return order;
}

using Blocks = std::vector<std::int64_t>;

TEST(BlockShares, ThreadsTakeTheirOwnBlocksThenTheirNodesThenOthers) {
  EXPECT_EQ(order_of(0, {2, 1, 2}, 10), (Blocks{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(order_of(1, {2, 1, 2}, 10), (Blocks{2, 3, 0, 1, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(order_of(2, {2, 1, 2}, 10), (Blocks{4, 5, 6, 7, 8, 9, 0, 1, 2, 3}));
  EXPECT_EQ(order_of(3, {2, 1, 2}, 10), (Blocks{6, 7, 8, 9, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(order_of(4, {2, 1, 2}, 10), (Blocks{8, 9, 6, 7, 0, 1, 2, 3, 4, 5}));
}

TEST(BlockShares, FewBlocksLeaveSharesEmpty) {
  EXPECT_EQ(order_of(0, {2, 2}, 3), (Blocks{0, 1, 2}));
  EXPECT_EQ(order_of(1, {2, 2}, 3), (Blocks{0, 1, 2}));
  EXPECT_EQ(order_of(3, {2, 2}, 3), (Blocks{2, 1, 0}));
  EXPECT_EQ(order_of(2, {2, 2}, 0), Blocks{});
}

TEST(BlockShares, SharesAreThePlansSlices) {
  const backends::NumaPlan plan = plan_of({2, 5, 1});
  for (unsigned node = 0; node < plan.num_nodes(); ++node) {
    const auto order = order_of(plan.first_thread(node), {2, 5, 1}, 1003);
    EXPECT_EQ(order.front(), static_cast<std::int64_t>(plan.slice_begin(node, 1003)));
  }
}

TEST(BlockLoop, OthersTakeTheBlocksOfASlowThread) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  if (Host().concurrency() < 2) GTEST_SKIP() << "there is no other thread";
  SlowFirst blocks(1000);
  backends::for_each_block("hashmill::test", Host(), 1000, [&](std::int64_t i) { blocks.run(i); });
  Host().fence("hashmill::test");
  EXPECT_EQ(blocks.done_beside_first(), 999U);
}

}  // namespace
}  // namespace hashmill::test
