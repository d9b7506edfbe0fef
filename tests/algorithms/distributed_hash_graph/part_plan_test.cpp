#include <gtest/gtest.h>

#include <hashmill/distributed_hash_graph/detail/part_plan.hpp>
#include <vector>

namespace {

using namespace hashmill;

/// Splits of 2^17 rows in each of 2^10 bins.
Splits splits_for(int ranks) {
  const std::vector<std::uint64_t> rows(1 << 10, 1 << 17);
  return {std::uint64_t{1} << 24, 14, rows, ranks};
}

/// The parts of each round of rank 0.
std::vector<std::uint64_t> parts_of_rounds(const detail::PartPlan& plan) {
  std::vector<std::uint64_t> parts;
  for (std::uint64_t round = 0; round < plan.rounds(); ++round) {
    parts.push_back(plan.round_begin(0, round + 1) - plan.round_begin(0, round));
  }
  return parts;
}

TEST(PartPlan, MakesEachRoundTwiceAsLong) {
  const detail::PartPlan plan(splits_for(2), std::uint64_t{1} << 27, 8, 3);
  EXPECT_EQ(plan.parts_of(0), 128U);
  EXPECT_EQ(parts_of_rounds(plan), (std::vector<std::uint64_t>{18, 36, 74}));
}

TEST(PartPlan, MakesRoundsAtMost32TimesAsLong) {
  const detail::PartPlan plan(splits_for(1), std::uint64_t{1} << 27, 8, 9);
  EXPECT_EQ(plan.parts_of(0), 256U);
  EXPECT_EQ(parts_of_rounds(plan), (std::vector<std::uint64_t>{1, 3, 7, 13, 25, 52, 51, 52, 52}));
}

/// 128 MiB of each rank's keys and rows in the first one.
TEST(PartPlan, ChoosesTheRoundsByWhatARankHas) {
  const auto rounds = [](std::uint64_t rows_of_a_rank, std::uint64_t row_bytes) {
    return detail::PartPlan(splits_for(4), 4 * rows_of_a_rank, row_bytes, std::nullopt).rounds();
  };
  EXPECT_EQ(rounds(0, 8), 1U);
  EXPECT_EQ(rounds(1000, 8), 1U);
  EXPECT_EQ(rounds(std::uint64_t{1} << 26, 8), 2U);
  EXPECT_EQ(rounds(std::uint64_t{1} << 27, 8), 3U);
  EXPECT_EQ(rounds(std::uint64_t{1} << 27, 20), 4U);
  EXPECT_EQ(rounds(std::uint64_t{1} << 31, 8), 7U);
}

/// All rounds together hold all parts once, also where there are more rounds than parts.
TEST(PartPlan, SendsAllPartsOnce) {
  for (const std::uint64_t rounds : {1, 2, 5, 300, 65536}) {
    const detail::PartPlan plan(splits_for(3), 3000, 8, rounds);
    for (int rank = 0; rank < 3; ++rank) {
      EXPECT_EQ(plan.round_begin(rank, 0), 0U);
      for (std::uint64_t r = 0; r < rounds; ++r) {
        ASSERT_LE(plan.round_begin(rank, r), plan.round_begin(rank, r + 1));
      }
      EXPECT_EQ(plan.round_begin(rank, rounds), plan.parts_of(rank));
    }
  }
}

}  // namespace
