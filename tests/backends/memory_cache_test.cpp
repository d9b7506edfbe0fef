#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <hashmill/backends/workspace.hpp>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/kokkos_recorder.hpp"
#include "algorithms/support/memory_cache_limit.hpp"

namespace hashmill::test {
namespace {

constexpr std::uint64_t any_size = std::numeric_limits<std::uint64_t>::max();

using Cache = backends::MemoryCache<Memory>;
using Bytes = Kokkos::View<std::byte*, Memory>;
using Words = Kokkos::View<std::uint64_t*, Memory>;

/// The shortest array that is kept, also on devices.
constexpr std::uint64_t unit = std::max(Cache::least_bytes, std::uint64_t{1} << 20);

Cache& cache() { return Cache::instance(); }

Bytes array_of(std::uint64_t bytes) {
  return backends::allocate<Bytes>(Exec(), "hashmill::test::array", bytes);
}
/// The address of an array that nobody uses any more.
const std::byte* leave_new(std::uint64_t bytes) { return array_of(bytes).data(); }

Bytes taken(std::uint64_t least, std::uint64_t most) {
  return cache().take<Bytes>(Exec(), least, most);
}

TEST(MemoryCache, GivesTheShortestArrayThatFits) {
  const MemoryCacheLimit limit(100 * unit);
  const auto* const four = [] {
    const Bytes eight = array_of(8 * unit), four = array_of(4 * unit), two = array_of(2 * unit);
    return four.data();
  }();
  EXPECT_EQ(cache().unused_bytes(), 14 * unit);
  const Bytes array = taken(3 * unit, any_size);
  EXPECT_EQ(array.data(), four);
  EXPECT_EQ(array.size(), 4 * unit);
  EXPECT_EQ(cache().unused_bytes(), 10 * unit);
  EXPECT_EQ(taken(3 * unit, 8 * unit - 1).data(), nullptr);
  EXPECT_EQ(taken(8 * unit + 1, any_size).data(), nullptr);
  EXPECT_EQ(taken(8 * unit, 8 * unit).size(), 8 * unit);
}

TEST(MemoryCache, GivesNoArrayThatSomebodyHolds) {
  const MemoryCacheLimit limit(100 * unit);
  Bytes array = array_of(2 * unit);
  {
    const auto part = Kokkos::subview(array, std::make_pair(unit, unit + 5));
    array = Bytes();
    EXPECT_EQ(cache().unused_bytes(), 0U);
    EXPECT_EQ(taken(unit, any_size).data(), nullptr);
  }
  EXPECT_EQ(cache().unused_bytes(), 2 * unit);
  EXPECT_NE(taken(unit, any_size).data(), nullptr);
}

TEST(MemoryCache, GivesArraysOfTheSameType) {
  const MemoryCacheLimit limit(100 * unit);
  leave_new(2 * unit);
  const auto words =
      backends::allocate<Words>(Exec(), "hashmill::test::words", 2 * unit / sizeof(std::uint64_t));
  EXPECT_EQ(cache().unused_bytes(), 2 * unit);
}

TEST(MemoryCache, GivesTheBeginningOfALittleLongerArray) {
  const MemoryCacheLimit limit(100 * unit);
  const auto* const place = leave_new(9 * unit);
  const Bytes array = array_of(8 * unit);
  EXPECT_EQ(array.data(), place);
  EXPECT_EQ(array.size(), 8 * unit);
  EXPECT_NE(array_of(8 * unit).data(), place);
}

struct AddWords {
  Words words;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& sum) const { sum += words(i); }
};

/// What kernels of several instances write is what they wrote last.
TEST(MemoryCache, WaitsForTheKernelsOfEarlierUsers) {
  const MemoryCacheLimit limit(100 * unit);
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const std::uint64_t count = unit / sizeof(std::uint64_t);
  const Words sum("hashmill::test::sum", 2);
  for (std::uint64_t turn = 0; turn < 20; ++turn) {
    const auto& exec = instances[turn % 2];
    const auto words = backends::allocate<Words>(exec, "hashmill::test::words", count);
    Kokkos::deep_copy(exec, words, turn);
    const auto total = Kokkos::subview(sum, turn % 2);
    Kokkos::parallel_reduce("hashmill::test::sum", backends::range(exec, count), AddWords{words},
                            total);
    const auto host = Kokkos::create_mirror_view(total);
    if (turn % 5 != 4) continue;
    exec.fence();
    Kokkos::deep_copy(host, total);
    EXPECT_EQ(host(), turn * count);
  }
  Kokkos::fence();
}

/// Whether the cache waits for all work while `run` runs.
template <class Run>
bool waits(const Run& run) {
  static bool has_waited;
  has_waited = false;
  using namespace Kokkos::Tools::Experimental;
  set_begin_fence_callback([](const char* label, std::uint32_t, std::uint64_t*) {
    has_waited |= std::string(label).find("is used again") != std::string::npos;
  });
  run();
  set_begin_fence_callback(nullptr);
  return has_waited;
}

constexpr bool on_device = !std::is_same_v<Memory, Kokkos::HostSpace>;

TEST(MemoryCache, DoesNotWaitForWhatIsSettled) {
  const MemoryCacheLimit limit(100 * unit);
  const auto* const place = leave_new(2 * unit);
  EXPECT_EQ(waits([] { cache().settle_unused(); }), on_device);
  EXPECT_FALSE(waits([] { cache().settle_unused(); })) << "there is nothing new";
  EXPECT_FALSE(waits([&] { EXPECT_EQ(array_of(2 * unit).data(), place); }));
  EXPECT_EQ(waits([&] { EXPECT_EQ(array_of(2 * unit).data(), place); }), on_device)
      << "it had a user again";
}

TEST(MemoryCache, PrefersWhatIsSettled) {
  const MemoryCacheLimit limit(100 * unit);
  const auto* const longer = leave_new(3 * unit);
  cache().settle_unused();
  const auto* const shorter = leave_new(2 * unit);
  EXPECT_FALSE(
      waits([&] { EXPECT_EQ(taken(unit, any_size).data(), on_device ? longer : shorter); }));
}

TEST(MemoryCache, ForgetsThoseTakenLongestAgoBeyondItsLimit) {
  const MemoryCacheLimit limit(5 * unit);
  EXPECT_EQ(memory_cache_limit<Memory>(), 5 * unit);
  leave_new(unit);
  const auto* const second = leave_new(2 * unit);
  leave_new(3 * unit);
  EXPECT_EQ(cache().unused_bytes(), 5 * unit);
  EXPECT_EQ(array_of(2 * unit).data(), second);  // and so the third is the oldest
  leave_new(unit);
  EXPECT_EQ(cache().unused_bytes(), 3 * unit);
  leave_new(6 * unit);  // more than the limit by itself
  EXPECT_EQ(cache().unused_bytes(), 3 * unit);
}

/// What is in use counts, so that no more is left when its users go.
TEST(MemoryCache, CountsWhatIsInUse) {
  const MemoryCacheLimit limit(5 * unit);
  {
    const Bytes first = array_of(3 * unit), second = array_of(2 * unit), third = array_of(unit);
    EXPECT_EQ(cache().unused_bytes(), 0U);
  }
  EXPECT_EQ(cache().unused_bytes(), 3 * unit);
}

TEST(MemoryCache, KeepsABoundedNumberOfArrays) {
  const MemoryCacheLimit limit(any_size);
  std::vector<Bytes> arrays(300);
  for (Bytes& array : arrays) array = array_of(unit);
  arrays.clear();
  EXPECT_EQ(cache().unused_bytes(), 256 * unit);
}

TEST(MemoryCache, LeavesShortArraysOfHostsToMalloc) {
  const MemoryCacheLimit limit(100 * unit);
  leave_new(unit - 1);
  const bool host = std::is_same_v<Memory, Kokkos::HostSpace>;
  EXPECT_EQ(cache().unused_bytes(), host ? 0 : unit - 1);
  leave_new(0);
  EXPECT_EQ(cache().unused_bytes(), host ? 0 : unit - 1);
}

TEST(MemoryCache, FreesAllWhenTrimmedOrWithoutALimit) {
  const MemoryCacheLimit limit(100 * unit);
  leave_new(2 * unit);
  trim_memory<Memory>();
  EXPECT_EQ(cache().unused_bytes(), 0U);
  leave_new(2 * unit);
  set_memory_cache_limit<Memory>(0);
  EXPECT_EQ(cache().unused_bytes(), 0U);
  leave_new(2 * unit);
  EXPECT_EQ(cache().unused_bytes(), 0U);
}

TEST(MemoryCache, TrimsOnlyWhatNobodyUses) {
  const MemoryCacheLimit limit(100 * unit);
  {
    const Bytes used = array_of(3 * unit);
    leave_new(2 * unit);
    EXPECT_TRUE(cache().trim());
    EXPECT_FALSE(cache().trim());
  }
  EXPECT_EQ(cache().unused_bytes(), 3 * unit);
}

TEST(MemoryCache, CountsAsFreeMemory) {
  const MemoryCacheLimit limit(100 * unit);
  leave_new(50 * unit);
  const std::uint64_t system = backends::memory_of<Memory>().free;
  const std::uint64_t free = backends::free_bytes<Memory>();
  EXPECT_NEAR(static_cast<double>(free), static_cast<double>(system + 50 * unit), 1e9);
}

TEST(MemoryCache, TakesItsLimitFromTheEnvironment) {
  const char* const set = std::getenv("HASHMILL_MEMORY_CACHE");
  const std::string before = set == nullptr ? "" : set;
  EXPECT_EQ(setenv("HASHMILL_MEMORY_CACHE", "12345", 1), 0);
  EXPECT_EQ(backends::memory_cache_setting(7), 12345U);
  for (const char* text : {"", "1x", "-1", " 1", "1e9", "99999999999999999999"}) {
    setenv("HASHMILL_MEMORY_CACHE", text, 1);
    EXPECT_THROW((void)backends::memory_cache_setting(7), InvalidArgument) << text;
  }
  unsetenv("HASHMILL_MEMORY_CACHE");
  EXPECT_EQ(backends::memory_cache_setting(7), 7U);
  if (set != nullptr) setenv("HASHMILL_MEMORY_CACHE", before.c_str(), 1);
}

TEST(MemoryCache, IsEmptiedForAnAllocationThatFails) {
  const FailingAllocations failing(1);
  set_memory_cache_limit<Memory>(100 * unit);
  leave_new(4 * unit);
  const auto one = backends::allocate<Bytes>(Exec(), "hashmill::one", unit);
  EXPECT_EQ(cache().unused_bytes(), 4 * unit);
  const auto two = backends::allocate<Bytes>(Exec(), "hashmill::two", unit);
  EXPECT_TRUE(failing.failed());
  EXPECT_EQ(two.size(), unit);
  EXPECT_EQ(cache().unused_bytes(), 0U);
}

TEST(MemoryCache, IsNotAskedForMoreThanMemoryHolds) {
  EXPECT_THROW(array_of(std::uint64_t{1} << 50), CapacityError);
  EXPECT_THROW(array_of(any_size), CapacityError);
}

TEST(MemoryCache, RestsWhereABudgetIsHeld) {
  const MemoryCacheLimit limit(100 * unit);
  leave_new(2 * unit);
  {
    const backends::WithoutMemoryCache budget;
    EXPECT_EQ(taken(unit, any_size).data(), nullptr);
    leave_new(3 * unit);
    std::thread([] { leave_new(4 * unit); }).join();
  }
  EXPECT_EQ(cache().unused_bytes(), 6 * unit);
  EXPECT_NE(taken(unit, any_size).data(), nullptr);
}

TEST(MemoryCache, ServesThreadsAtOnce) {
  const MemoryCacheLimit limit(20 * unit);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) {
        const Bytes array = array_of(unit);
        Kokkos::deep_copy(Kokkos::subview(array, 0), std::byte{1});
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(cache().unused_bytes(), 4 * unit);
}

TEST(KeptWorkspace, LeavesItsMemoryToTheNext) {
  const MemoryCacheLimit limit(100 * unit);
  const auto places = [] {
    Workspace<Memory> workspace;
    const Workspace<Memory>::Frame frame(workspace);
    const auto first = workspace.take<std::byte>(Exec(), 3 * unit);
    const auto second = workspace.take<std::byte>(Exec(), 7 * unit);
    return std::make_pair(first.data(), second.data());
  };
  const auto once = places();
  EXPECT_EQ(cache().unused_bytes(), 10 * unit);
  EXPECT_EQ(places(), once);
}

TEST(KeptWorkspace, MayBeTwiceAsLong) {
  const MemoryCacheLimit limit(100 * unit);
  leave_new(4 * unit);
  Workspace<Memory> workspace;
  workspace.reserve(Exec(), 2 * unit);
  EXPECT_EQ(workspace.bytes(), 4 * unit);
}

TEST(KeptWorkspace, KeepsWhatOthersHold) {
  const MemoryCacheLimit limit(100 * unit);
  std::shared_ptr<const void> held;
  {
    Workspace<Memory> workspace;
    workspace.reserve(Exec(), 3 * unit);
    held = workspace.hold();
  }
  EXPECT_EQ(cache().unused_bytes(), 0U);
  held.reset();
  EXPECT_EQ(cache().unused_bytes(), 3 * unit);
}

}  // namespace
}  // namespace hashmill::test
