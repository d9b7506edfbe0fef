#include <gtest/gtest.h>

#include <hashmill/backends/numa_plan.hpp>

#include "synthetic_machines.hpp"

namespace hashmill::test {
namespace {

using backends::NumaMode;
using backends::NumaPlan;

std::vector<unsigned> threads_per_node(const NumaPlan& plan) {
  std::vector<unsigned> counts;
  for (unsigned k = 0; k < plan.num_nodes(); ++k) {
    counts.push_back(plan.first_thread(k + 1) - plan.first_thread(k));
  }
  return counts;
}

/// Slices cover all elements in order, and tell their owners.
void expect_slices(const NumaPlan& plan, std::uint64_t count) {
  SCOPED_TRACE(count);
  ASSERT_EQ(plan.slice_begin(0, count), 0U);
  ASSERT_EQ(plan.slice_begin(plan.num_nodes(), count), count);
  for (unsigned k = 0; k < plan.num_nodes(); ++k) {
    const std::uint64_t begin = plan.slice_begin(k, count), end = plan.slice_begin(k + 1, count);
    ASSERT_LE(begin, end);
    const unsigned threads = plan.first_thread(k + 1) - plan.first_thread(k);
    const double fair = static_cast<double>(count) * threads / plan.num_threads();
    EXPECT_NEAR(static_cast<double>(end - begin), fair, 1.0 + 1e-9 * fair);
    if (begin == end) continue;
    EXPECT_EQ(plan.owner(begin, count), k);
    EXPECT_EQ(plan.owner(end - 1, count), k);
  }
}

TEST(NumaPlan, SlicesCoverAllElements) {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{1} << 60}) {
    for (const std::uint64_t slices : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{384}}) {
      EXPECT_EQ(backends::slice_begin(0, slices, count), 0U);
      EXPECT_EQ(backends::slice_begin(slices, slices, count), count);
      for (std::uint64_t i = 0; i < slices; ++i) {
        const std::uint64_t begin = backends::slice_begin(i, slices, count);
        const std::uint64_t size = backends::slice_begin(i + 1, slices, count) - begin;
        EXPECT_TRUE(size == count / slices || size == count / slices + 1) << i;
      }
    }
  }
}

TEST(NumaPlan, SharesThreadsOutInProportionToTheNodes) {
  const auto shares = [](const std::vector<unsigned>& nodes, unsigned threads) {
    return threads_per_node(NumaPlan(machine_of(nodes), NumaMode::local, threads));
  };
  using Counts = std::vector<unsigned>;
  EXPECT_EQ(shares({8}, 8), Counts({8}));
  EXPECT_EQ(shares({8, 8}, 16), Counts({8, 8}));
  EXPECT_EQ(shares({8, 8}, 8), Counts({4, 4}));
  EXPECT_EQ(shares({4, 12}, 16), Counts({4, 12}));
  EXPECT_EQ(shares({4, 12}, 8), Counts({2, 6}));
  EXPECT_EQ(shares({8, 8, 8, 4}, 28), Counts({8, 8, 8, 4}));
  EXPECT_EQ(shares({8, 8, 8, 8}, 2), Counts({1, 1}));
  EXPECT_EQ(shares({8, 8}, 0), Counts({1}));
  EXPECT_EQ(shares({8, 8}, 64), Counts({32, 32}));
}

TEST(NumaPlan, NodesWithoutWorkingThreadsTakePartInNothing) {
  const NumaPlan plan(machine_of({1, 15}), NumaMode::local, 4);
  ASSERT_EQ(plan.num_nodes(), 1U);
  EXPECT_EQ(plan.node(0), 1U);
  EXPECT_FALSE(plan.places());
}

TEST(NumaPlan, GivesEachNodeAContiguousRangeOfBins) {
  for (const auto& nodes :
       {std::vector<unsigned>{3}, {8, 8}, {4, 12}, {1, 2, 3, 5}, {2, 2, 2, 2, 2, 2, 2, 2}}) {
    unsigned all = 0;
    for (const unsigned count : nodes) all += count;
    for (const unsigned threads : {1U, 2U, all / 2, all, 2 * all}) {
      const NumaPlan plan(machine_of(nodes), NumaMode::local, threads);
      for (const std::uint64_t count :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{4096},
            std::uint64_t{1'000'003}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
        expect_slices(plan, count);
      }
    }
  }
}

TEST(NumaPlan, OneNodeOrOffPlacesNothing) {
  for (const NumaMode mode : backends::numa_modes) {
    EXPECT_FALSE(NumaPlan(machine_of({8}), mode, 8).places());
    const NumaPlan two(machine_of({8, 8}), mode, 16);
    EXPECT_EQ(two.mode(), mode);
    EXPECT_EQ(two.places(), mode != NumaMode::off);
    EXPECT_EQ(two.sorts_by_node(), mode == NumaMode::local);
  }
  EXPECT_FALSE(NumaPlan().places());
  expect_slices(NumaPlan(), 100);
  EXPECT_FALSE(NumaPlan(backends::Topology{}, NumaMode::local, 4).places());
}

TEST(NumaPlan, ModesAreNamed) {
  for (const NumaMode mode : backends::numa_modes) {
    EXPECT_EQ(backends::parse_numa_mode(to_string(mode), "--numa"), mode);
  }
  for (const char* const word : {"", "on", "Local", "local "}) {
    try {
      static_cast<void>(backends::parse_numa_mode(word, "--numa"));
      ADD_FAILURE() << "took '" << word << "'";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.what(),
                "--numa=" + std::string(word) + " is no NUMA mode: use off, local or interleaved");
    }
  }
}

TEST(NumaPlan, TheEnvironmentNamesTheMode) {
  const char* const before = std::getenv("HASHMILL_NUMA");
  const std::string kept = before == nullptr ? "" : before;
  unsetenv("HASHMILL_NUMA");
  EXPECT_EQ(backends::numa_mode_of_environment(), NumaMode::off);
  for (const NumaMode mode : backends::numa_modes) {
    setenv("HASHMILL_NUMA", to_string(mode), 1);
    EXPECT_EQ(backends::numa_mode_of_environment(), mode);
  }
  setenv("HASHMILL_NUMA", "everywhere", 1);
  EXPECT_THROW(static_cast<void>(backends::numa_mode_of_environment()), InvalidArgument);
  setenv("HASHMILL_NUMA", kept.c_str(), 1);
}

TEST(NumaPlan, FanOutFollowsTheCache) {
  EXPECT_EQ(backends::host_pass_bits(0), 6U);
  EXPECT_EQ(backends::host_pass_bits(std::uint64_t{32} << 10), 8U);
  EXPECT_EQ(backends::host_pass_bits(std::uint64_t{256} << 10), 11U);
  EXPECT_EQ(backends::host_pass_bits(std::uint64_t{512} << 10), 12U);
  EXPECT_EQ(backends::host_pass_bits(std::uint64_t{2} << 20), 12U);
  EXPECT_EQ(backends::host_pass_bits(~std::uint64_t{0}), 12U);
}

TEST(NumaPlan, TilesAreAtMostEightAThread) {
  EXPECT_EQ(backends::host_tile_records(0, 8), 1U);
  EXPECT_EQ(backends::host_tile_records(1000, 8), 126U);
  EXPECT_EQ(backends::host_tile_records(1 << 20, 8), backends::least_host_tile_records);
  EXPECT_GE(backends::host_tile_records(std::uint64_t{1} << 62, 0), 1U);
  for (const std::uint64_t threads : {1U, 2U, 7U, 64U, 384U}) {
    for (const std::uint64_t records :
         {std::uint64_t{1} << 25, std::uint64_t{1'000'000'007}, std::uint64_t{1} << 40}) {
      const std::uint64_t tile = backends::host_tile_records(records, threads);
      // As many tiles are launched as a part of that size can need, whether they hold any or not.
      EXPECT_LE(records / tile + 1, 8 * threads) << records << ", " << threads;
      EXPECT_GE(tile, std::min(records / threads, backends::least_host_tile_records));
    }
  }
}

#ifdef HASHMILL_ENABLE_HWLOC

TEST(NumaPlan, FollowsSyntheticMachines) {
  for (const unsigned nodes : {1U, 2U, 4U, 8U}) {
    const NumaPlan plan(synthetic_machine(nodes), NumaMode::local, nodes * 8);
    EXPECT_EQ(plan.num_nodes(), nodes);
    EXPECT_EQ(threads_per_node(plan), std::vector<unsigned>(nodes, 8));
    EXPECT_EQ(plan.sorts_by_node(), nodes > 1);
    EXPECT_EQ(plan.pass_bits(), 12U);
    expect_slices(plan, 4096);
  }
}

TEST(NumaPlan, FollowsCpusets) {
  const NumaPlan uneven(synthetic_machine(2, "0-7,8-9"), NumaMode::local, 10);
  EXPECT_EQ(threads_per_node(uneven), (std::vector<unsigned>{8, 2}));
  EXPECT_EQ(uneven.slice_begin(1, 1000), 800U);

  const NumaPlan outer(synthetic_machine(4, "0-7,24-31"), NumaMode::interleaved, 16);
  ASSERT_EQ(outer.num_nodes(), 2U);
  EXPECT_EQ(outer.node(0), 0U);
  EXPECT_EQ(outer.node(1), 3U);
}

#endif

}  // namespace
}  // namespace hashmill::test
