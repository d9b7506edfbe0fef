#include <gtest/gtest.h>

#include <hashmill/backends/block_loop.hpp>
#include <vector>

#include "algorithms/slow_first.hpp"
#include "algorithms/views.hpp"

namespace hashmill::test {
namespace {

struct CountVisit {
  Kokkos::View<std::uint32_t*, Memory> visits;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { Kokkos::atomic_inc(&visits(i)); }
};

TEST(BlockLoop, VisitsEveryBlockOnce) {
  for (const std::uint64_t blocks : {0, 1, 2, 8, 9, 10, 4096, 10'001}) {
    const Kokkos::View<std::uint32_t*, Memory> visits("hashmill::test::visits", blocks);
    const Exec exec;
    backends::for_each_block("hashmill::test", exec, blocks, CountVisit{visits});
    exec.fence("hashmill::test");
    ASSERT_EQ(to_host(visits), std::vector<std::uint32_t>(blocks, 1));
  }
}

/// One of few teams.
struct TeamOf {
  int rank, size;
  [[nodiscard]] int league_rank() const { return rank; }
  [[nodiscard]] int league_size() const { return size; }
};

TEST(BlockLoop, FewTeamsRunManyBlocks) {
  std::vector<std::uint32_t> visits(100);
  const backends::RunBlocks run{[&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; },
                                100};
  for (int team = 0; team < 7; ++team) run(TeamOf{team, 7});
  EXPECT_EQ(visits, std::vector<std::uint32_t>(100, 1));
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
