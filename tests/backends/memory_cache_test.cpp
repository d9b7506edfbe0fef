#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <hashmill/backends/cached_array.hpp>
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
using Array = backends::CachedArray<std::uint64_t, Memory>;
using Bytes = backends::CachedArray<std::byte, Memory>;

/// The shortest block that is kept, also on devices.
constexpr std::uint64_t unit = std::max(Cache::least_bytes, std::uint64_t{1} << 20);

Cache& cache() { return Cache::instance(); }

Cache::Block block_of(std::uint64_t bytes) {
  return backends::allocate<Cache::Block>(Exec(), "hashmill::test::block", bytes);
}

/// Keeps a new block of device 0, and returns where it is.
const std::byte* keep_new(std::uint64_t bytes) {
  auto block = block_of(bytes);
  const std::byte* const place = block.data();
  cache().keep(std::move(block), 0);
  return place;
}

TEST(MemoryCache, GivesTheSmallestBlockThatFits) {
  const MemoryCacheLimit limit(100 * unit);
  keep_new(8 * unit);
  const auto* const four = keep_new(4 * unit);
  keep_new(2 * unit);
  EXPECT_EQ(cache().bytes(), 14 * unit);
  EXPECT_EQ(cache().take(0, 3 * unit, any_size).data(), four);
  EXPECT_EQ(cache().bytes(), 10 * unit);
  EXPECT_EQ(cache().take(0, 3 * unit, 8 * unit - 1).data(), nullptr);
  EXPECT_EQ(cache().take(0, 8 * unit + 1, any_size).data(), nullptr);
  EXPECT_EQ(cache().take(0, 8 * unit, 8 * unit).size(), 8 * unit);
}

TEST(MemoryCache, GivesNoBlockOfAnotherDevice) {
  const MemoryCacheLimit limit(100 * unit);
  keep_new(2 * unit);
  EXPECT_EQ(cache().take(1, unit, any_size).data(), nullptr);
  EXPECT_NE(cache().take(0, unit, any_size).data(), nullptr);
}

TEST(MemoryCache, FreesThoseKeptLongestBeyondItsLimit) {
  const MemoryCacheLimit limit(5 * unit);
  EXPECT_EQ(memory_cache_limit<Memory>(), 5 * unit);
  keep_new(2 * unit);
  const auto* const second = keep_new(2 * unit);
  const auto* const third = keep_new(3 * unit);
  EXPECT_EQ(cache().bytes(), 5 * unit);
  EXPECT_EQ(cache().take(0, 3 * unit, any_size).data(), third);
  EXPECT_EQ(cache().take(0, unit, any_size).data(), second);
  EXPECT_EQ(cache().take(0, unit, any_size).data(), nullptr);
  keep_new(6 * unit);  // more than the limit by itself
  EXPECT_EQ(cache().bytes(), 0U);
}

TEST(MemoryCache, KeepsABoundedNumberOfBlocks) {
  const MemoryCacheLimit limit(any_size);
  for (int i = 0; i < 300; ++i) keep_new(unit);
  EXPECT_EQ(cache().bytes(), 256 * unit);
}

TEST(MemoryCache, FreesBlocksThatOthersShare) {
  const MemoryCacheLimit limit(100 * unit);
  auto block = block_of(2 * unit);
  const auto other = block;
  cache().keep(std::move(block), 0);
  EXPECT_EQ(block.data(), nullptr);
  EXPECT_EQ(cache().bytes(), 0U);
}

TEST(MemoryCache, LeavesShortBlocksOfHostsToMalloc) {
  const MemoryCacheLimit limit(100 * unit);
  keep_new(unit - 1);
  const bool host = std::is_same_v<Memory, Kokkos::HostSpace>;
  EXPECT_EQ(cache().bytes(), host ? 0 : unit - 1);
  keep_new(0);
  EXPECT_EQ(cache().bytes(), host ? 0 : unit - 1);
}

TEST(MemoryCache, FreesAllWhenTrimmedOrWithoutALimit) {
  const MemoryCacheLimit limit(100 * unit);
  keep_new(2 * unit);
  trim_memory<Memory>();
  EXPECT_EQ(cache().bytes(), 0U);
  keep_new(2 * unit);
  set_memory_cache_limit<Memory>(0);
  EXPECT_EQ(cache().bytes(), 0U);
  keep_new(2 * unit);
  EXPECT_EQ(cache().bytes(), 0U);
}

TEST(MemoryCache, CountsAsFreeMemory) {
  const MemoryCacheLimit limit(100 * unit);
  keep_new(50 * unit);
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
  keep_new(2 * unit);
  const auto one = backends::allocate<Cache::Block>(Exec(), "hashmill::one", unit);
  EXPECT_EQ(cache().bytes(), 2 * unit);
  const auto two = backends::allocate<Cache::Block>(Exec(), "hashmill::two", unit);
  EXPECT_TRUE(failing.failed());
  EXPECT_EQ(two.size(), unit);
  EXPECT_EQ(cache().bytes(), 0U);
}

TEST(MemoryCache, RestsWhereABudgetIsHeld) {
  const MemoryCacheLimit limit(100 * unit);
  keep_new(2 * unit);
  {
    const backends::WithoutMemoryCache budget;
    EXPECT_EQ(cache().take(0, unit, any_size).data(), nullptr);
    keep_new(3 * unit);
    std::thread([] { keep_new(4 * unit); }).join();
  }
  EXPECT_EQ(cache().bytes(), 6 * unit);
  EXPECT_NE(cache().take(0, unit, any_size).data(), nullptr);
}

TEST(MemoryCache, ServesThreadsAtOnce) {
  const MemoryCacheLimit limit(20 * unit);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) {
        Cache::Block block = cache().take(0, unit, any_size);
        if (block.data() == nullptr) block = Cache::Block("hashmill::test::block", unit);
        cache().keep(std::move(block), 0);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_LE(cache().bytes(), 4 * unit);
}

TEST(CachedArray, SharesItsMemoryWithCopies) {
  const MemoryCacheLimit limit(100 * unit);
  Array first(Exec(), "hashmill::test::array", unit / 8);
  {
    const Array second = first;
    EXPECT_EQ(second.data(), first.data());
    EXPECT_EQ(second.size(), unit / 8);
    first = Array();
    EXPECT_EQ(cache().bytes(), 0U);
  }
  EXPECT_EQ(cache().bytes(), unit);
}

TEST(CachedArray, TakesWhatAnEarlierOneLeft) {
  const MemoryCacheLimit limit(100 * unit);
  const std::byte* const place = Bytes(Exec(), "hashmill::test::array", 2 * unit).data();
  EXPECT_EQ(Bytes(Exec(), "hashmill::test::array", 2 * unit).data(), place);
  EXPECT_EQ(Bytes(Exec(), "hashmill::test::array", 2 * unit - unit / 8).data(), place);
  const Bytes far_shorter(Exec(), "hashmill::test::array", unit);
  EXPECT_NE(far_shorter.data(), place);
  EXPECT_EQ(far_shorter.size(), unit);
}

TEST(CachedArray, LeavesMemoryOfOthersAlone) {
  const MemoryCacheLimit limit(100 * unit);
  Workspace<Memory> workspace;
  const Workspace<Memory>::Frame frame(workspace);
  {
    const Array array(workspace.take<std::uint64_t>(Exec(), unit / 8));
    EXPECT_EQ(array.size(), unit / 8);
  }
  EXPECT_EQ(cache().bytes(), 0U);
}

TEST(CachedArray, IsRefusedWhereMemoryIsShort) {
  EXPECT_THROW(Array(Exec(), "hashmill::test::array", std::uint64_t{1} << 50), CapacityError);
  EXPECT_THROW(Array(Exec(), "hashmill::test::array", any_size), CapacityError);
}

TEST(CachedWorkspace, LeavesItsMemoryToTheNext) {
  const MemoryCacheLimit limit(100 * unit);
  const auto places = [] {
    auto workspace = Workspace<Memory>::cached();
    const Workspace<Memory>::Frame frame(workspace);
    const auto first = workspace.take<std::byte>(Exec(), 3 * unit);
    const auto second = workspace.take<std::byte>(Exec(), 5 * unit);
    return std::make_pair(first.data(), second.data());
  };
  const auto once = places();
  EXPECT_EQ(cache().bytes(), 8 * unit);
  EXPECT_EQ(places(), once);
}

TEST(CachedWorkspace, MovesWithItsMemory) {
  const MemoryCacheLimit limit(100 * unit);
  {
    auto workspace = Workspace<Memory>::cached();
    workspace.reserve(Exec(), 3 * unit);
    Workspace<Memory> other;
    other.reserve(Exec(), 2 * unit);  // is freed, as it was no workspace of one call
    other = std::move(workspace);
    EXPECT_EQ(other.bytes(), 3 * unit);
    EXPECT_EQ(cache().bytes(), 0U);
    other = Workspace<Memory>();
    EXPECT_EQ(cache().bytes(), 3 * unit);
  }
  EXPECT_EQ(cache().bytes(), 3 * unit);
}

TEST(CachedWorkspace, KeepsWhatOthersHold) {
  const MemoryCacheLimit limit(100 * unit);
  std::shared_ptr<const void> held;
  {
    auto workspace = Workspace<Memory>::cached();
    workspace.reserve(Exec(), 3 * unit);
    held = workspace.hold();
  }
  EXPECT_EQ(cache().bytes(), 0U);
}

}  // namespace
}  // namespace hashmill::test
