#include <gtest/gtest.h>

#include <hashmill/primitives/detail/launch_tiles.hpp>

#include "algorithms/support/slow_first.hpp"

namespace hashmill::test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

struct RunTile {
  SlowFirst* tiles;
  void operator()(const Kokkos::TeamPolicy<Host>::member_type& team) const {
    tiles->run(team.league_rank());
  }
};

TEST(LaunchTiles, OthersTakeTheTilesOfASlowThread) {
  if (Host().concurrency() < 2) GTEST_SKIP() << "there is no other thread";
  const auto tiles = static_cast<std::uint64_t>(8 * Host().concurrency());
  SlowFirst work(tiles);
  detail::launch_tiles<false, Kokkos::TeamPolicy<Host>>("hashmill::test", Host(), tiles, 64,
                                                        RunTile{&work});
  Host().fence("hashmill::test");
  EXPECT_EQ(work.done_beside_first(), tiles - 1);
}

}  // namespace
}  // namespace hashmill::test
