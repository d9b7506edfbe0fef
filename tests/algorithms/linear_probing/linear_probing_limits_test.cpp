#include "core/message_of.hpp"
#include "linear_probing_fixture.hpp"

namespace hashmill::test {
namespace {

/// Look-ups, inserts and erasures of overlapping keys at once, each key by several threads.
struct UseAtOnce {
  Probing<std::uint32_t, UniqueKeys>::ref_type table;
  Kokkos::View<std::uint64_t, Memory> wrong;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto key = static_cast<std::uint32_t>(i % 1000);
    table.insert(key, key + 1);
    table.insert_or_apply(key, key + 1, MinRow{});
    const std::uint32_t row = table.find(key);
    if (row != no_row<std::uint32_t> && row != key + 1) Kokkos::atomic_inc(&wrong());
    if (key < 500 && i % 3 == 0) table.erase(key);
    if (key >= 500 && !table.contains(key)) Kokkos::atomic_inc(&wrong());
  }
};

TEST(LinearProbing, OperationsOverlapInKernels) {
  Probing<std::uint32_t, UniqueKeys> table(Exec(), 200'000);
  const Kokkos::View<std::uint64_t, Memory> wrong("hashmill::test::wrong");
  Kokkos::parallel_for("hashmill::test::use_at_once", Kokkos::RangePolicy<Exec>(0, 100'000),
                       UseAtOnce{table.ref(), wrong});
  std::uint64_t count = 0;
  Kokkos::deep_copy(count, wrong);
  EXPECT_EQ(count, 0U);
  table.recount(Exec());
  EXPECT_GE(table.size(), 500U);
  EXPECT_LE(table.size(), 1000U);
  table.rehash(Exec());
  EXPECT_EQ(table.statistics(Exec()).num_entries, table.size());
}

/// Puts key k into the k-th window from the end of a table of 2^33 windows.
struct WindowHash {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint32_t key) const {
    return ~std::uint64_t{0} - (std::uint64_t{key} << 31);
  }
};

using FarRef = LinearProbingRef<std::uint32_t, UniqueKeys, std::uint32_t, WindowHash, KeyEqual>;

struct InsertFar {
  FarRef ref;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    ref.insert(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(100 + i));
  }
};

struct FindFar {
  FarRef ref;
  Kokkos::View<std::uint32_t*, Memory> rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    rows(i) = ref.find(static_cast<std::uint32_t>(i));
  }
};

TEST(LinearProbing, NumbersSlotsBeyond32Bits) {
  constexpr std::uint64_t windows = (std::uint64_t{1} << 33) + 3, kept = 64, keys = 20;
  const Kokkos::View<FarRef::Window*, Memory> last("hashmill::test::windows", kept);
  const FarRef ref(last.data() - (windows - kept), windows, WindowHash{}, KeyEqual{});
  detail::empty_windows<Memory>(Exec(), FarRef(last.data(), kept, WindowHash{}, KeyEqual{}));
  const Kokkos::View<std::uint32_t*, Memory> rows("hashmill::test::rows", keys);
  const Kokkos::RangePolicy<Exec> policy(0, keys);
  Kokkos::parallel_for("hashmill::test::insert_far", policy, InsertFar{ref});
  Kokkos::parallel_for("hashmill::test::find_far", policy, FindFar{ref, rows});
  const auto found = to_host(rows);
  for (std::uint32_t i = 0; i < keys; ++i) EXPECT_EQ(found[i], 100 + i);
}

TEST(LinearProbing, RefusesRowsThatItKeepsForItself) {
  const KeyColumns<std::uint32_t> keys(sequential_numbers(4));
  Probing<std::uint32_t, UniqueKeys> table(Exec(), 100);
  EXPECT_EQ(table.insert(Exec(), keys.source(), RowsFrom{no_row<std::uint32_t> - 3}),
            (InsertResult{1, 0, 3}));
  EXPECT_THROW((Probing<std::uint32_t, UniqueKeys>(Exec(), keys.source(),
                                                   {.row_base = no_row<std::uint32_t> - 5})),
               CapacityError);
}

TEST(LinearProbing, RefusesLoadFactorsAboveItsLimit) {
  try {
    const Probing<std::uint32_t, UniqueKeys> table(Exec(), 1, {.load_factor = LoadFactor(0.96)});
    FAIL() << "load factor 0.96 was taken";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("0.96"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("0.95"), std::string::npos);
  }
}

TEST(LinearProbing, ChangesFromTwoThreadsAreRefused) {
  detail::ExclusiveUse use;
  {
    const detail::ExclusiveUse::Scope first(use, "hashmill::Table", "first");
    EXPECT_EQ(message_of<InvalidArgument>(
                  [&] { detail::ExclusiveUse::Scope(use, "hashmill::Table", "second"); }),
              "hashmill::Table::second: another thread is changing this table at the moment");
  }
  EXPECT_NO_THROW(detail::ExclusiveUse::Scope(use, "hashmill::Table", "third"));
}

TEST(LinearProbing, ShortMemoryLeavesTheTable) {
  const KeyColumns<std::uint32_t> keys(sequential_numbers(100));
  Probing<std::uint32_t, UniqueKeys> table(Exec(), keys.source());
  EXPECT_THROW(table.reserve(Exec(), std::uint64_t{1} << 38), CapacityError);
  EXPECT_EQ(table.size(), 100U);
  EXPECT_EQ(table.insert(Exec(), keys.source(), RowsFrom{0}).existing, 100U);
}

}  // namespace
}  // namespace hashmill::test
