#include <gtest/gtest.h>

#include <cstdlib>
#include <hashmill/backends/caches.hpp>
#include <hashmill/error.hpp>
#include <numeric>

#include "synthetic_machines.hpp"

#ifdef __linux__
#include <sched.h>
#include <sys/wait.h>
#endif

namespace hashmill::test {
namespace {

TEST(Topology, ThisMachineHasThreadsAndCaches) {
  const backends::Topology& machine = backends::machine_topology();
  ASSERT_FALSE(machine.nodes.empty());
  EXPECT_GE(machine.num_cores(), 1U);
  EXPECT_GE(machine.num_threads(), machine.num_cores());
  EXPECT_EQ(&machine, &backends::machine_topology());
  EXPECT_EQ(backends::private_cache_bytes(), machine.private_cache_bytes());
  EXPECT_EQ(backends::last_level_cache_bytes(), machine.last_level_cache_bytes());
}

TEST(Topology, TheSystemAloneTellsOneNode) {
  const backends::Topology system = backends::system_topology();
  ASSERT_EQ(system.nodes.size(), 1U);
  EXPECT_EQ(system.nodes[0].threads, backends::allowed_threads());
  EXPECT_EQ(system.num_cores(), system.num_threads());
  EXPECT_GT(system.nodes[0].memory_bytes, std::uint64_t{1} << 20);
}

TEST(Topology, SharesOfCachesAreThoseOfACore) {
  backends::Topology machine{"", {{0, 0, 4, {0, 1, 2, 3}}}, {}};
  EXPECT_EQ(machine.private_cache_bytes(), 1U << 20);
  EXPECT_EQ(machine.last_level_cache_bytes(), 1U << 20);
  machine.caches = {{1, 32 << 10, 1}};
  EXPECT_EQ(machine.private_cache_bytes(), 32U << 10);
  machine.caches.push_back({2, 4 << 20, 4});
  EXPECT_EQ(machine.private_cache_bytes(), 1U << 20);
  EXPECT_EQ(machine.last_level_cache_bytes(), 4U << 20);
  machine.caches.push_back({3, 12 << 20, 4});
  EXPECT_EQ(machine.private_cache_bytes(), 1U << 20);
  EXPECT_EQ(machine.last_level_cache_bytes(), 12U << 20);
}

/// As a virtual machine's two cores are told of what 72 share.
TEST(Topology, NoMoreOfTheLastCacheCountsThanServersHaveForACore) {
  const backends::Topology machine{
      "", {{0, 0, 2, {0, 1}}}, {{2, 2 << 20, 1}, {3, std::uint64_t{480} << 20, 2}}};
  EXPECT_EQ(machine.last_level_cache_bytes(), 8U << 20);
  const backends::Topology large_core{"", {{0, 0, 1, {0}}}, {{2, 6 << 20, 1}, {3, 64 << 20, 1}}};
  EXPECT_EQ(large_core.last_level_cache_bytes(), 6U << 20);
}

#ifdef HASHMILL_ENABLE_HWLOC

std::vector<unsigned> numbers(unsigned begin, unsigned end) {
  std::vector<unsigned> all(end - begin);
  std::iota(all.begin(), all.end(), begin);
  return all;
}

class SyntheticNodes : public testing::TestWithParam<unsigned> {};

TEST_P(SyntheticNodes, HasItsNodesCoresAndCaches) {
  const unsigned nodes = GetParam();
  const backends::Topology machine = synthetic_machine(nodes);
  ASSERT_EQ(machine.nodes.size(), nodes);
  EXPECT_EQ(machine.num_cores(), nodes * 4);
  EXPECT_EQ(machine.num_threads(), nodes * 8);
  for (unsigned i = 0; i < nodes; ++i) {
    const backends::NumaNode& node = machine.nodes[i];
    EXPECT_EQ(node.index, i);
    EXPECT_EQ(node.memory_bytes, std::uint64_t{16} << 30);
    EXPECT_EQ(node.cores, 4U);
    EXPECT_EQ(node.threads, numbers(i * 8, i * 8 + 8));
  }
  ASSERT_EQ(machine.caches.size(), 2U);
  EXPECT_EQ(machine.caches[0].level, 2U);
  EXPECT_EQ(machine.caches[0].cores, 1U);
  EXPECT_EQ(machine.caches[1].level, 3U);
  EXPECT_EQ(machine.caches[1].cores, 4U);
  EXPECT_EQ(machine.private_cache_bytes(), std::uint64_t{512} << 10);
  EXPECT_EQ(machine.last_level_cache_bytes(), std::uint64_t{16} << 20);  // 32, for 4 cores
}

INSTANTIATE_TEST_SUITE_P(Counts, SyntheticNodes, testing::Values(1U, 2U, 4U, 8U));

#ifdef __linux__
/// Whether a process bound to one hardware thread sees only that one.
bool sees_only(unsigned thread) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(thread, &set);
  if (sched_setaffinity(0, sizeof(set), &set) != 0) return false;
  const backends::Topology machine = backends::HwlocTopology().read("hwloc");
  return machine.nodes.size() == 1 && machine.num_cores() == 1 &&
         machine.nodes[0].threads == std::vector<unsigned>{thread} && !machine.caches.empty();
}

TEST(Topology, KeepsToTheCpusetOfTheProcess) {
  std::vector<unsigned> threads = backends::allowed_threads();
  threads.resize(std::min<std::size_t>(threads.size(), 4));
  for (const unsigned thread : threads) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) std::_Exit(sees_only(thread) ? 0 : 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "hardware thread " << thread;
  }
}
#endif

TEST(SyntheticTopology, CpusetsCutItDown) {
  const backends::Topology uneven = synthetic_machine(2, "0-7,8-11");
  ASSERT_EQ(uneven.nodes.size(), 2U);
  EXPECT_EQ(uneven.nodes[0].cores, 4U);
  EXPECT_EQ(uneven.nodes[1].cores, 2U);
  EXPECT_EQ(uneven.nodes[1].threads, numbers(8, 12));

  const backends::Topology second = synthetic_machine(4, "20,22");
  ASSERT_EQ(second.nodes.size(), 1U) << "a node without cores is left out";
  EXPECT_EQ(second.nodes[0].index, 2U);
  EXPECT_EQ(second.nodes[0].cores, 2U);
  EXPECT_EQ(second.nodes[0].threads, (std::vector<unsigned>{20, 22}));
}

TEST(SyntheticTopology, CachesThatCoresShareAreDivided) {
  const auto machine = backends::synthetic_topology("numa:1 l2:2(size=4MiB) core:4 pu:1");
  EXPECT_EQ(machine.num_cores(), 8U);
  EXPECT_EQ(machine.private_cache_bytes(), std::uint64_t{1} << 20);
}

TEST(SyntheticTopology, ASecondMemoryBesideTheSameCoresIsLeftOut) {
  const auto machine = backends::synthetic_topology("pack:2 [numa] [numa] core:2 pu:1");
  ASSERT_EQ(machine.nodes.size(), 2U);
  EXPECT_EQ(machine.nodes[0].threads, numbers(0, 2));
  EXPECT_EQ(machine.nodes[1].threads, numbers(2, 4));
}

TEST(SyntheticTopology, MachinesThatTellNothingOfCachesHaveSome) {
  const auto machine = backends::synthetic_topology("numa:2 pu:3");
  EXPECT_EQ(machine.num_cores(), 6U) << "threads count as cores where there are none";
  EXPECT_EQ(machine.private_cache_bytes(), std::uint64_t{1} << 20);
}

TEST(SyntheticTopology, WhatHwlocDoesNotTakeIsRefused) {
  for (const std::string description : {"", "no machine", "numa:0 pu:2"}) {
    EXPECT_THROW(static_cast<void>(backends::synthetic_topology(description)), InvalidArgument)
        << description;
  }
  for (const std::string cpuset : {"cores", "100-200"}) {
    EXPECT_THROW(static_cast<void>(synthetic_machine(2, cpuset)), InvalidArgument) << cpuset;
  }
}

#else

TEST(SyntheticTopology, NeedsHwloc) {
  EXPECT_THROW(static_cast<void>(backends::synthetic_topology("numa:2 pu:2")), BackendError);
}

#endif

}  // namespace
}  // namespace hashmill::test
