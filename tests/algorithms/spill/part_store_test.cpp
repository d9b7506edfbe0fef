#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>

#include "algorithms/spill/stored_batches.hpp"
#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/kokkos_recorder.hpp"

namespace hashmill::test {
namespace {

using detail::MemoryAccount;
using detail::MemoryTier;

constexpr std::uint64_t kib = 1024;

/// The files that this process has open.
std::ptrdiff_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

TEST(MemoryBudget, FillsInDefaults) {
  const MemoryBudget budget = resolved<Memory>({});
  EXPECT_GT(budget.device, 0U);
  EXPECT_LT(budget.device, MemoryBudget::automatic);
  EXPECT_LT(budget.file, MemoryBudget::automatic);
  EXPECT_FALSE(budget.directory.empty());
  EXPECT_EQ(budget.host == 0, backends::is_host_memory<Memory>);
  const MemoryBudget given = resolved<Memory>(budget_of(5, 0, 7));
  EXPECT_EQ(given.device, 5U);
  EXPECT_EQ(given.file, 7U);
}

TEST(MemoryBudget, RefusesWhatGivesNoMemory) {
  EXPECT_THROW(static_cast<void>(resolved<Memory>({.device = 0})), InvalidArgument);
  EXPECT_THROW(static_cast<void>(resolved<Memory>({.directory = "/there/is/none"})),
               InvalidArgument);
  EXPECT_NO_THROW(static_cast<void>(resolved<Memory>({.file = 0, .directory = "/there/is/none"})));
}

TEST(MemoryAccount, GrantsWhatIsLeft) {
  MemoryAccount account(budget_of(100, 10, 0));
  {
    MemoryAccount::Grant first = account.take(MemoryTier::device, 60, "this");
    const MemoryAccount::Grant moved = std::move(first);
    EXPECT_EQ(moved.bytes(), 60U);
    EXPECT_EQ(account.available(MemoryTier::device), 40U);
    try {
      static_cast<void>(account.take(MemoryTier::device, 41, "that"));
      FAIL() << "41 of 40 bytes were granted";
    } catch (const CapacityError& error) {
      EXPECT_EQ(error.needed(), 41U);
      EXPECT_EQ(error.available(), 40U);
      EXPECT_NE(std::string(error.what()).find("that"), std::string::npos);
    }
    EXPECT_THROW(static_cast<void>(account.take(MemoryTier::file, 1, "this")), CapacityError);
  }
  EXPECT_EQ(account.available(MemoryTier::device), 100U);
  EXPECT_EQ(account.peak(MemoryTier::device), 60U);
  MemoryAccount::Grant grant = account.take(MemoryTier::host, 10, "this");
  grant = {};
  EXPECT_EQ(account.available(MemoryTier::host), 10U);
}

TEST(BatchPool, RoundsUpByAnEighthAtMost) {
  for (std::uint64_t bytes = 0; bytes < 5000; ++bytes) {
    const std::uint64_t pooled = detail::pooled_bytes(bytes);
    EXPECT_GE(pooled, bytes);
    EXPECT_LE(pooled, bytes + std::max<std::uint64_t>(bytes / 8, 31));
    EXPECT_EQ(detail::pooled_bytes(pooled), pooled);
  }
}

/// Batches of many lengths come and go: memory of one length must make room for another.
TEST(BatchPool, KeepsNoMoreThanTheBudgetHas) {
  MemoryAccount account(budget_of(10'000, 0, 0));
  const KokkosRecorder recorder;
  detail::BatchPool<Memory> pool(account, MemoryTier::device);
  const auto use = [&](std::uint64_t bytes) {
    MemoryAccount::Grant grant =
        account.take(MemoryTier::device, detail::pooled_bytes(bytes), "a batch");
    const std::shared_ptr<std::byte> memory = pool.take(Exec(), bytes);
    grant = {};
    return memory.get();
  };
  EXPECT_EQ(use(2000), use(2040));  // it is used again
  for (std::uint64_t bytes = 1; bytes < 9000; bytes += 37) static_cast<void>(use(bytes));
  EXPECT_LE(recorder.peak_bytes(), 10'000U);
  EXPECT_THROW(use(10'001), CapacityError);
}

/// A budget, the most bytes of a batch, and where batches must go.
struct StoreCase {
  std::uint64_t device, host, file, most;
  bool uses_host, uses_file;
};
template <class Store>
void gives_back(const StoreCase& c) {
  SCOPED_TRACE("device " + std::to_string(c.device) + " host " + std::to_string(c.host) +
               " batches up to " + std::to_string(c.most));
  using Test = StoreUnderTestOf<Store>;
  Test test(budget_of(c.device, c.host, c.file));
  for (std::uint64_t b = 0; b < 300; ++b) {
    test.add(murmur3_fmix64(b) % Test::parts, some_arrays(b, c.most));
  }
  test.make_room_to_read();
  for (const bool keeps : {true, true, false}) {
    for (std::size_t p = 0; p < Test::parts; ++p) test.expect_part(p, keeps);
  }
  for (std::uint64_t b = 0; b < 10; ++b) test.add(2, some_arrays(b, c.most / 4));
  test.make_room_to_read();
  test.expect_part_as_one(2);
  for (const MemoryTier tier : {MemoryTier::device, MemoryTier::host, MemoryTier::file}) {
    EXPECT_LE(test.account.peak(tier), test.account.limit(tier));
  }
  EXPECT_EQ(test.store.host_bytes() > 0, c.uses_host);
  EXPECT_EQ(test.store.file_bytes() > 0, c.uses_file);
}
/// With budgets that hold everything, or nearly nothing, in memory, on the host and in a file;
/// batches shorter and longer than a block.
TEST(PartStore, GivesBackWhatItWasGiven) {
  gives_back<Store>({8192 * kib, 0, 0, 5000, false, false});
  gives_back<Store>({64 * kib, 8 * kib, 8192 * kib, 5000, true, true});
  gives_back<Store>({64 * kib, 8192 * kib, 0, 5000, true, false});
  gives_back<Store>({64 * kib, 256 * kib, 4096 * kib, 5000, true, true});
  gives_back<Store>({32 * kib, 8 * kib, 8192 * kib, 100, true, true});
  gives_back<Store>({128 * kib, 8 * kib, 8192 * kib, 0, false, false});
}
/// The file of a GPU's store, on hosts too.
TEST(PartStore, GivesBackWhatPassedThroughBlocks) {
  gives_back<StagedStore>({64 * kib, 8 * kib, 8192 * kib, 5000, true, true});
  gives_back<StagedStore>({64 * kib, 256 * kib, 4096 * kib, 5000, true, true});
  gives_back<StagedStore>({32 * kib, 8 * kib, 8192 * kib, 100, true, true});
}

/// Parts are written while another is read, as where rows are split again.
template <class Store>
void writes_while_it_reads(const MemoryBudget& budget) {
  StoreUnderTestOf<Store> test(budget);
  for (std::uint64_t b = 0; b < 100; ++b) test.add(0, some_arrays(b, 4000));
  const std::vector<HostBatch> first = test.expected[0];
  std::size_t b = 0;
  test.make_room_to_read();
  test.store.take_each(Exec(), 0, [&](const auto& batch) {
    ASSERT_EQ(host_arrays(batch), first[b]);
    test.add(1 + b % 4, host_arrays(batch));
    ++b;
  });
  EXPECT_EQ(b, 100U);
  EXPECT_EQ(test.store.batches(0), 0U);
  for (std::size_t p = 1; p < test.parts; ++p) test.expect_part(p, p % 2 == 0);
}
TEST(PartStore, WritesWhileItReads) {
  writes_while_it_reads<Store>(budget_of(64 * kib, 8 * kib, 8192 * kib));
  writes_while_it_reads<StagedStore>(budget_of(64 * kib, 8 * kib, 8192 * kib));
}

TEST(PartStore, KeepsLowPartsInMemory) {
  StoreUnderTest test(budget_of(256 * kib, 0, 8192 * kib));
  for (std::uint64_t b = 0; b < 500; ++b) {
    test.add(b % StoreUnderTest::parts, {Bytes(100), Bytes(400), Bytes(0)});
  }
  bool before = true;
  std::uint64_t resident = 0;
  for (std::size_t p = 0; p < StoreUnderTest::parts; ++p) {
    const bool now = test.store.is_resident(p);
    EXPECT_TRUE(before || !now) << p;
    before = now;
    resident += now ? 1 : 0;
  }
  EXPECT_GE(resident, 1U);
  EXPECT_LT(resident, StoreUnderTest::parts);
}

/// Blocks of the file are used again: many times as many bytes pass through it as it may have.
TEST(PartStore, UsesTheFileAgain) {
  StoreUnderTest test(budget_of(64 * kib, 0, 256 * kib));
  for (std::uint64_t round = 0; round < 20; ++round) {
    for (std::uint64_t b = 0; b < 30; ++b) test.add(3, some_arrays(b, 4000));
    test.make_room_to_read();
    test.expect_part(3, false);
  }
  EXPECT_GT(test.store.file_bytes(), 5 * 256 * kib);
}

TEST(PartStore, ReportsAFullBudget) {
  const std::ptrdiff_t files = open_files();
  StoreUnderTest none(budget_of(64 * kib, 0, 0));
  const auto fill = [](StoreUnderTest& test) {
    for (std::uint64_t b = 0; b < 1000; ++b) test.add(b % 2, some_arrays(b, 4000));
  };
  EXPECT_THROW(fill(none), CapacityError);
  for (const std::size_t part : {0, 1}) none.expect_part(part, false);
  {
    StoreUnderTest little(budget_of(64 * kib, 0, 100 * kib));
    EXPECT_THROW(fill(little), CapacityError);
    little.store.clear(0);
    little.expect_part(1, true);  // nothing is lost
    EXPECT_EQ(open_files(), files + 1);
  }
  EXPECT_EQ(open_files(), files);
}

TEST(PartStore, ReportsALimitOfFileSizes) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{64 * kib, before.rlim_max};
  std::uint64_t available = 0;
  {
    StoreUnderTest test(budget_of(64 * kib, 0, 64 * 1024 * kib));
    setrlimit(RLIMIT_FSIZE, &small);
    try {
      for (std::uint64_t b = 0; b < 2000; ++b) test.add(0, some_arrays(b, 4000));
    } catch (const CapacityError& error) {
      available = error.available();
    }
    EXPECT_THROW(static_cast<void>(test.store.make_room(Exec(), 64 * kib)), CapacityError);
    setrlimit(RLIMIT_FSIZE, &before);
  }
  EXPECT_GT(available, 0U);
}

TEST(PartStore, ReportsADirectoryThatTakesNoFile) {
  MemoryBudget budget = budget_of(64 * kib, 0, 8192 * kib);
  budget.directory = "/proc/self";
  StoreUnderTest test(budget);
  const auto fill = [&] {
    for (std::uint64_t b = 0; b < 1000; ++b) test.add(0, some_arrays(b, 4000));
  };
  EXPECT_THROW(fill(), InvalidArgument);
  test.expect_part(0, true);
}

/// The system has no memory although the budget has.
TEST(PartStore, SurvivesFailingAllocations) {
  for (const std::uint64_t host : {std::uint64_t{0}, 256 * kib}) {
    const std::uint64_t failures = count_failures([&] {
      StoreUnderTest test(budget_of(64 * kib, host, 8192 * kib));
      for (std::uint64_t b = 0; b < 20; ++b) test.add(b % 2, some_arrays(b, 4000));
      test.expect_part(0, true);
      test.expect_part(0, false);
      test.expect_part(1, false);
    });
    EXPECT_GT(failures, 3U);
  }
}

}  // namespace
}  // namespace hashmill::test
