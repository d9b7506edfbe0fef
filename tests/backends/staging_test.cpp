#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <hashmill/backends/staging.hpp>
#include <random>
#include <utility>
#include <vector>

namespace {

using hashmill::backends::StagingRing;

TEST(StagingRing, HandsOutAllOfItselfAtOnce) {
  StagingRing ring(1000);
  EXPECT_EQ(ring.size(), 768);
  EXPECT_EQ(ring.take(769), nullptr);
  const std::byte* const all = ring.take(768);
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(ring.take(1), nullptr);
  ring.give_back(all);
  EXPECT_EQ(ring.take(768), all);
}

TEST(StagingRing, HandsOutAgainWhatCameBackInOrder) {
  StagingRing ring(1024);
  const std::byte* const first = ring.take(512);
  const std::byte* const second = ring.take(512);
  ring.give_back(second);
  EXPECT_EQ(ring.take(256), nullptr) << "the oldest is not back yet";
  ring.give_back(first);
  EXPECT_EQ(ring.take(1024), first);
}

TEST(StagingRing, BeginsAgainWhereTheEndIsTooShort) {
  StagingRing ring(1024);
  const std::byte* const first = ring.take(512);
  const std::byte* const second = ring.take(256);
  ring.give_back(first);
  EXPECT_EQ(ring.take(512), first) << "256 bytes at the end are left out";
  EXPECT_EQ(ring.take(1), nullptr);
  ring.give_back(second);
  EXPECT_EQ(ring.take(256), second);
}

TEST(StagingRing, NeverHandsOutBytesTwice) {
  StagingRing ring(16 << 10);
  std::mt19937 random(1);
  std::deque<std::pair<std::byte*, std::size_t>> taken;
  int refused = 0;
  for (int step = 0; step < 20000; ++step) {
    const std::size_t bytes = 1 + random() % 5000;
    if (std::byte* const stretch = ring.take(bytes)) {
      std::memset(stretch, step & 255, bytes);
      taken.emplace_back(stretch, bytes);
    } else {
      ASSERT_FALSE(taken.empty()) << "an empty ring has room";
      ++refused;
      const std::size_t some = random() % taken.size();
      const auto [stretch_back, length] = taken[some];
      for (std::size_t i = 1; i < length; ++i) ASSERT_EQ(stretch_back[i], stretch_back[0]);
      ring.give_back(stretch_back);
      taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(some));
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
