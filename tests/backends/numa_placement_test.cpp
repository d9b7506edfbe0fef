#include <gtest/gtest.h>

#include <hashmill/backends/workspace.hpp>

#include "algorithms/support/kokkos_recorder.hpp"
#include "synthetic_machines.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hashmill::test {
namespace {

using backends::NumaMode;
using backends::NumaPlan;
using backends::ScopedNumaPlan;
using Host = Kokkos::DefaultHostExecutionSpace;
using Bytes = Kokkos::View<std::byte*, Kokkos::HostSpace>;

constexpr std::uint64_t large = std::uint64_t{64} << 20;

unsigned host_threads() { return static_cast<unsigned>(Host().concurrency()); }

/// This machine's first node twice, so that two nodes can be planned for wherever tests run.
NumaPlan two_nodes(NumaMode mode) {
  backends::Topology machine = backends::machine_topology();
  machine.nodes.resize(1);
  machine.nodes.push_back(machine.nodes.front());
  return {machine, mode, std::max(2U, host_threads())};
}

std::uint64_t kernels_of_allocating(std::uint64_t bytes) {
  const KokkosRecorder recorder;
  const auto view = backends::allocate<Bytes>(Host(), "hashmill::test", bytes);
  EXPECT_EQ(view.extent(0), bytes);
  return recorder.count(KokkosEvent::Kind::kernel);
}

TEST(NumaPlacement, ThePlanInForceIsThatOfThisMachine) {
  const NumaPlan& plan = backends::numa_plan();
  EXPECT_EQ(plan.mode(), backends::numa_mode_of_environment());
  EXPECT_EQ(plan.num_threads(), host_threads());
  EXPECT_LE(plan.num_nodes(), backends::machine_topology().nodes.size());
}

TEST(NumaPlacement, ScopesNestAndEnd) {
  const NumaMode before = backends::numa_plan().mode();
  const unsigned nodes = backends::numa_plan().num_nodes();
  {
    const ScopedNumaPlan outer(two_nodes(NumaMode::local));
    {
      const ScopedNumaPlan inner(two_nodes(NumaMode::interleaved));
      EXPECT_EQ(backends::numa_plan().mode(), NumaMode::interleaved);
    }
    EXPECT_EQ(backends::numa_plan().mode(), NumaMode::local);
    EXPECT_EQ(backends::numa_plan().num_nodes(), 2U);
  }
  EXPECT_EQ(backends::numa_plan().mode(), before);
  EXPECT_EQ(backends::numa_plan().num_nodes(), nodes);
}

TEST(NumaPlacement, OneNodeCostsNoKernel) {
  const ScopedNumaPlan one(NumaPlan{});
  EXPECT_EQ(kernels_of_allocating(large), 0U);
}

TEST(NumaPlacement, OnlyLargeArraysOfLocalPlansAreTouched) {
  for (const NumaMode mode : backends::numa_modes) {
    const ScopedNumaPlan plan(two_nodes(mode));
    EXPECT_EQ(kernels_of_allocating(large), mode == NumaMode::local ? 1U : 0U) << to_string(mode);
    EXPECT_EQ(kernels_of_allocating(backends::placed_array_bytes - 1), 0U) << to_string(mode);
    EXPECT_EQ(kernels_of_allocating(0), 0U) << to_string(mode);
  }
}

TEST(NumaPlacement, WorkspacesAreTouchedAsTheyGrow) {
  const ScopedNumaPlan plan(two_nodes(NumaMode::local));
  const KokkosRecorder recorder;
  Workspace<Kokkos::HostSpace> workspace;
  for (int round = 0; round < 2; ++round) {
    const Workspace<Kokkos::HostSpace>::Frame frame(workspace);
    EXPECT_EQ(workspace.take<std::uint64_t>(Host(), large / 8).size(), large / 8);
  }
  EXPECT_EQ(recorder.count(KokkosEvent::Kind::kernel), 1U) << "memory that is kept stays there";
}

#ifdef __linux__
TEST(NumaPlacement, FirstTouchReachesEveryPageAndNothingElse) {
  for (const std::uint64_t pages : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1023}}) {
    const std::uint64_t bytes = pages * backends::small_page_bytes;
    void* const data = mmap(nullptr, bytes + backends::small_page_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(data, MAP_FAILED);
    madvise(data, bytes + backends::small_page_bytes, MADV_NOHUGEPAGE);
    for (const std::uint64_t part : {bytes - 1, bytes}) {
      const Host exec;
      backends::touch_slices(exec, data, part);
      exec.fence("hashmill::test");
      std::vector<unsigned char> resident(pages + 1);
      ASSERT_EQ(mincore(data, bytes + backends::small_page_bytes, resident.data()), 0);
      for (std::uint64_t i = 0; i <= pages; ++i) {
        EXPECT_EQ(resident[i] & 1, i < pages ? 1 : 0) << "page " << i << " of " << pages;
      }
    }
    munmap(data, bytes + backends::small_page_bytes);
  }
}
#endif

TEST(NumaPlacement, PagesOfAnArrayAreWhole) {
  alignas(64) std::byte bytes[256];
  const auto whole = backends::whole_pages(bytes + 1, 255, 64);
  EXPECT_EQ(whole.data, bytes + 64);
  EXPECT_EQ(whole.bytes, 192U);
  EXPECT_EQ(backends::whole_pages(bytes, 256, 64).bytes, 256U);
  EXPECT_EQ(backends::whole_pages(bytes + 1, 126, 64).bytes, 0U);
  EXPECT_EQ(backends::whole_pages(bytes + 1, 0, 64).bytes, 0U);
}

/// Memory that nobody touched, and where it lies in the end.
class PlacedMemory : public testing::Test {
 protected:
  void SetUp() override {
    view = Bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "hashmill::test"), large);
    backends::advise_huge_pages<Kokkos::HostSpace>(view.data(), large);
  }
  void touch() {
    const Host exec;
    backends::touch_slices(exec, view.data(), large);
    exec.fence("hashmill::test");
  }
  static NumaPlan machine_plan(NumaMode mode) {
    return {backends::machine_topology(), mode, host_threads()};
  }
  Bytes view;
};

TEST_F(PlacedMemory, InterleavedPagesLieOnEveryNode) {
  const NumaPlan plan = machine_plan(NumaMode::interleaved);
  if (!backends::interleave_pages(plan, view.data(), large)) {
    GTEST_SKIP() << "this machine does not let a process choose where its memory lies";
  }
  touch();
  std::vector<unsigned> nodes = backends::nodes_of(view.data(), large);
  if (nodes.empty()) GTEST_SKIP() << "this machine does not tell where memory lies";
  std::vector<unsigned> expected;
  for (unsigned k = 0; k < plan.num_nodes(); ++k) expected.push_back(plan.node(k));
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(nodes, expected);
}

TEST_F(PlacedMemory, SlicesLieOnTheNodesOfTheirThreads) {
  const NumaPlan plan = machine_plan(NumaMode::local);
  const char* const bound = std::getenv("OMP_PROC_BIND");
  if (plan.num_nodes() > 1 && (bound == nullptr || std::string(bound) == "false")) {
    GTEST_SKIP() << "threads are not bound to nodes (OMP_PROC_BIND)";
  }
  touch();
  if (backends::nodes_of(view.data(), large).empty()) {
    GTEST_SKIP() << "this machine does not tell where memory lies";
  }
  for (unsigned k = 0; k < plan.num_nodes(); ++k) {
    // Huge pages straddle slices: a node's pages are looked for inside its slice.
    const std::uint64_t begin = plan.slice_begin(k, large), end = plan.slice_begin(k + 1, large);
    if (end - begin < 4 * backends::huge_page_bytes) continue;
    EXPECT_EQ(backends::nodes_of(view.data() + begin + backends::huge_page_bytes,
                                 end - begin - 2 * backends::huge_page_bytes),
              std::vector<unsigned>{plan.node(k)});
  }
}

TEST_F(PlacedMemory, NodesThatAreNotThereAreNoError) {
  backends::Topology elsewhere{"test", {{1000, 0, 1, {0}}, {1001, 0, 1, {1}}}, {}};
  const NumaPlan plan(elsewhere, NumaMode::interleaved, 2);
  EXPECT_FALSE(backends::interleave_pages(plan, view.data(), large));
  EXPECT_FALSE(backends::interleave_pages(plan, view.data(), 100));
  const ScopedNumaPlan scope(plan);
  const auto array = backends::allocate_zeroed<Bytes>(Host(), "hashmill::test", large);
  Host().fence("hashmill::test");
  EXPECT_EQ(array(0), std::byte{0});
  EXPECT_EQ(array(large - 1), std::byte{0});
}

}  // namespace
}  // namespace hashmill::test
