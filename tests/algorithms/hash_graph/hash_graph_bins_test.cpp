#include <gtest/gtest.h>

#include <hashmill/hash_graph.hpp>

namespace hashmill::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Graph = HashGraph<std::uint32_t, Exec::memory_space>;

std::uint64_t bins(std::uint64_t keys, std::uint64_t asked) {
  return Graph::planned_bins(Exec(), keys, {.bins = BinCount(asked)});
}

TEST(HashGraphBins, ArePlannedAsPowersOfTwoOfBuckets) {
  EXPECT_EQ(bins(1000, 1000), 1000u);  // of 1 bucket
  EXPECT_EQ(bins(1000, 5000), 1000u);
  EXPECT_EQ(bins(1000, 999), 500u);  // of 2
  EXPECT_EQ(bins(1000, 100), 63u);   // of 16
  EXPECT_EQ(bins(1000, 7), 4u);      // of 256
  EXPECT_EQ(bins(1000, 1), 1u);
}

TEST(HashGraphBins, AreNoneWithoutKeysAndInVersion1) {
  EXPECT_EQ(bins(0, 7), 0u);
  EXPECT_EQ(Graph::planned_bins(Exec(), 1000, {.algorithm = BuildAlgorithm::v1}), 0u);
  EXPECT_GE(Graph::planned_bins(Exec(), 1000), 1u);
}

}  // namespace
}  // namespace hashmill::test
