#include <gtest/gtest.h>

#include <hashmill/distributed_join/detail/heavy_routes.hpp>
#include <hashmill/murmur.hpp>

#include "algorithms/support/views.hpp"

// Which keys of a join are heavy, and which of their rows stay.

namespace {

using namespace hashmill;
using detail::HeavyRoutes;
using detail::RouteSample;

/// A sample of two ranks with 1000 routes each, of which the first rank's begin with `first` times
/// route 7, the second's with `second` times.
RouteSample sample_of(std::uint64_t first, std::uint64_t second, std::uint64_t rows = 1'000'000) {
  RouteSample sample;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    std::vector<std::uint64_t> routes(1000);
    for (std::uint64_t i = 0; i < routes.size(); ++i) {
      routes[i] = i < (rank == 0 ? first : second) ? 7 : murmur3_fmix64(1000 * rank + i);
    }
    sample.add(rank, rows, routes.data(), routes.size());
  }
  sample.sort();
  return sample;
}
std::vector<std::uint8_t> stays(const RouteSample& left, const RouteSample& right) {
  return choose_heavy(left, right, 2).left_stays;
}
using Stays = std::vector<std::uint8_t>;

TEST(HeavyRoutes, HaveMoreThanAnEighthOfAShare) {
  const RouteSample none = sample_of(0, 0);
  EXPECT_EQ(stays(sample_of(62, 62), none), Stays());
  EXPECT_EQ(stays(sample_of(63, 63), none), Stays({1}));
  EXPECT_EQ(stays(none, sample_of(63, 63)), Stays({0}));
  EXPECT_EQ(stays(none, none), Stays());
  EXPECT_EQ(stays(RouteSample(), RouteSample()), Stays());
  EXPECT_DOUBLE_EQ(sample_of(63, 100).rows_of(7), 163'000);
}

TEST(HeavyRoutes, AreSeenOftenEnough) {
  RouteSample few;
  const std::vector<std::uint64_t> routes(15, 7);
  few.add(0, 1000, routes.data(), routes.size());
  few.sort();
  EXPECT_EQ(stays(few, RouteSample()), Stays());
  const std::vector<std::uint64_t> more(16, 7);
  RouteSample enough;
  enough.add(0, 1000, more.data(), more.size());
  enough.sort();
  EXPECT_EQ(stays(enough, RouteSample()), Stays({1}));
}

TEST(HeavyRoutes, LetTheSideWithMoreRowsStay) {
  const RouteSample more = sample_of(500, 500), fewer = sample_of(100, 100);
  EXPECT_EQ(stays(more, fewer), Stays({1}));
  EXPECT_EQ(stays(fewer, more), Stays({0}));
}

TEST(HeavyRoutes, AreDealtWhereOneRankHasMost) {
  const RouteSample none = sample_of(0, 0);
  EXPECT_FALSE(choose_heavy(sample_of(500, 200), none, 2).deals_left);
  EXPECT_TRUE(choose_heavy(sample_of(500, 100), none, 2).deals_left);
  const HeavyRoutes right = choose_heavy(none, sample_of(0, 500), 2);
  EXPECT_TRUE(right.deals_right);
  EXPECT_FALSE(right.deals_left);
  EXPECT_EQ(right.count(false), 1U);
  EXPECT_EQ(right.count(true), 0U);
}

/// Looks up routes on the device.
struct FindRoutes {
  detail::HeavyRoutesRef heavy;
  Kokkos::View<std::uint64_t*, test::Memory> routes;
  Kokkos::View<unsigned*, test::Memory> found;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { found(i) = heavy.find(routes(i)); }
};
TEST(HeavyRoutesRef, FindsThoseItHas) {
  HeavyRoutes heavy;
  heavy.routes = {0, 5, 9, ~std::uint64_t{0}};
  const auto routes = test::to_device(heavy.routes), bits = test::to_device(heavy.bits());
  const auto stays = test::to_device(std::vector<std::uint8_t>{1, 0, 1, 0});
  const auto asked = test::to_device(std::vector<std::uint64_t>{
      0, 1, 5, 8, 9, 10, ~std::uint64_t{0}, ~std::uint64_t{1}, (1 << 16) + 5});
  const Kokkos::View<unsigned*, test::Memory> found("found", asked.extent(0));
  const auto find = [&](const detail::HeavyRoutesRef& heavy) {
    Kokkos::parallel_for("hashmill::test::find_routes",
                         Kokkos::RangePolicy<test::Exec>(0, asked.extent(0)),
                         FindRoutes{heavy, asked, found});
    return test::to_host(found);
  };
  constexpr unsigned none = detail::HeavyRoutesRef::none;
  EXPECT_EQ(find({routes.data(), stays.data(), bits.data(), 4}),
            (std::vector<unsigned>{0, none, 1, none, 2, none, 3, none, none}));
  EXPECT_EQ(find({}), std::vector<unsigned>(9, none));
}

}  // namespace
