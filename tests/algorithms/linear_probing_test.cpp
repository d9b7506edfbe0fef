#include <gtest/gtest.h>

#include <hashmill/linear_probing.hpp>
#include <hashmill/multi_map.hpp>
#include <numeric>
#include <unordered_map>

#include "algorithms/hashes.hpp"
#include "algorithms/keys.hpp"

namespace hashmill::test {
namespace {

template <class Key, class Kind, class Row = std::uint32_t, class Hash = Murmur3Hash>
using Probing = LinearProbing<Key, Memory, Kind, Row, Hash>;

static_assert(MultiMap<Probing<std::uint32_t, UniqueKeys>>);
static_assert(RowMultiMapRef<Probing<Key128, RepeatedKeys, std::uint64_t>::ref_type>);
static_assert(sizeof(Probing<std::uint32_t, UniqueKeys>::ref_type::Slot) == 8);
static_assert(sizeof(Probing<std::uint64_t, UniqueKeys>::ref_type::Slot) == 16);
static_assert(sizeof(Probing<Key128, UniqueKeys>::ref_type::Slot) == 32);

/// Row of key i of a batch.
struct RowsFrom {
  std::uint64_t first;
  KOKKOS_FUNCTION std::uint32_t operator()(std::uint64_t i) const {
    return static_cast<std::uint32_t>(first + i);
  }
};

struct MinRow {
  template <class Row>
  KOKKOS_FUNCTION Row operator()(Row a, Row b) const {
    return a < b ? a : b;
  }
};

struct AddRow {
  template <class Row>
  KOKKOS_FUNCTION Row operator()(Row a, Row b) const {
    return a + b;
  }
};

struct EvenOnes {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 2 == 0; }
};

template <class Types>
class LinearProbingOf : public testing::Test {
 protected:
  using Key = typename Types::Key;
  using Table = Probing<Key, UniqueKeys, std::uint32_t, typename Types::Hash>;
  using Expected = std::unordered_map<std::uint64_t, std::uint32_t>;

  static auto source(const Numbers& numbers) { return KeyColumns<Key>(numbers).source(); }
  static std::uint64_t normal(std::uint64_t number) { return normal_number<Key>(number); }

  /// Every `step`-th number below `end` as a key, with itself as its row.
  static Expected rows_like_numbers(std::uint32_t end, std::uint32_t step) {
    Expected expected;
    for (std::uint32_t i = 0; i < end; i += step) expected[normal(i)] = i;
    return expected;
  }

  /// Expects the rows of these and of a few absent keys.
  static void expect_rows(const Table& table, const Expected& expected) {
    ASSERT_EQ(table.size(), expected.size());
    Numbers queries = random_numbers(50, 4242);
    for (const auto& entry : expected) queries.push_back(entry.first);
    const KeyColumns<Key> keys(queries);
    const Kokkos::View<std::uint32_t*, Memory> rows("hashmill::test::rows", queries.size());
    table.find(Exec(), keys.source(), rows);
    const auto found = to_host(rows);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto there = expected.find(normal(queries[q]));
      ASSERT_EQ(found[q], there == expected.end() ? no_row<std::uint32_t> : there->second)
          << "key " << queries[q];
    }
    const auto counts = table.statistics(Exec());
    ASSERT_EQ(counts.num_entries, expected.size());
    ASSERT_EQ(counts.tombstones, table.num_tombstones());
  }
};

template <class KeyType, class HashType>
struct KeyAndHash {
  using Key = KeyType;
  using Hash = HashType;
};
using Combinations =
    testing::Types<KeyAndHash<std::uint32_t, Murmur3Hash>, KeyAndHash<std::uint64_t, FourBitHash>,
                   KeyAndHash<Key128, Murmur3Hash>, KeyAndHash<std::uint32_t, ConstantHash>>;
TYPED_TEST_SUITE(LinearProbingOf, Combinations);

TYPED_TEST(LinearProbingOf, ChurnsLikeAnUnorderedMap) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), 0);
  typename Fixture::Expected expected;
  ASSERT_NO_FATAL_FAILURE(Fixture::expect_rows(table, expected));
  for (std::uint64_t round = 0; round < 6; ++round) {
    const Numbers added = sequential_numbers(120, round * 60);
    const InsertResult result =
        table.insert(Exec(), Fixture::source(added), RowsFrom{1000 * round});
    std::uint64_t inserted = 0;
    for (std::uint64_t i = 0; i < added.size(); ++i) {
      inserted += expected.emplace(Fixture::normal(added[i]), 1000 * round + i).second ? 1 : 0;
    }
    ASSERT_EQ(result, (InsertResult{inserted, added.size() - inserted, 0}));
    ASSERT_NO_FATAL_FAILURE(Fixture::expect_rows(table, expected));
    Numbers erased = sequential_numbers(50, round * 70);
    erased.insert(erased.end(), {erased[3], 999'999});
    std::uint64_t removed = 0;
    for (const std::uint64_t number : erased) removed += expected.erase(Fixture::normal(number));
    ASSERT_EQ(table.erase(Exec(), Fixture::source(erased)), removed);
    ASSERT_NO_FATAL_FAILURE(Fixture::expect_rows(table, expected));
    if (round == 3) {
      table.rehash(Exec());
      ASSERT_EQ(table.num_tombstones(), 0U);
      ASSERT_NO_FATAL_FAILURE(Fixture::expect_rows(table, expected));
    }
  }
  table.clear(Exec());
  ASSERT_NO_FATAL_FAILURE(Fixture::expect_rows(table, {}));
}

TYPED_TEST(LinearProbingOf, ErasedKeysComeBackOnce) {
  using Fixture = LinearProbingOf<TypeParam>;
  const Numbers keys{0, ~std::uint64_t{0}, 7, 0xFFFFFFFE};
  const auto source = Fixture::source(keys);
  typename Fixture::Table table(Exec(), source, {.row_base = 5});
  for (std::uint32_t round = 1; round < 9; ++round) {
    ASSERT_EQ(table.erase(Exec(), source), keys.size());
    ASSERT_EQ(table.insert(Exec(), source, RowsFrom{round}).inserted, keys.size());
    typename Fixture::Expected expected;
    for (std::uint32_t i = 0; i < 4; ++i) expected[Fixture::normal(keys[i])] = round + i;
    ASSERT_NO_FATAL_FAILURE(Fixture::expect_rows(table, expected));
  }
}

TYPED_TEST(LinearProbingOf, AssignsAndApplies) {
  using Fixture = LinearProbingOf<TypeParam>;
  const Numbers keys = sequential_numbers(300);
  const auto source = Fixture::source(keys);
  typename Fixture::Table table(Exec(), 10);
  typename Fixture::Expected expected;
  table.insert_or_assign(Exec(), source, RowsFrom{9});
  EXPECT_EQ(table.insert_or_assign(Exec(), source, RowsFrom{100}), (InsertResult{0, 300, 0}));
  for (std::uint32_t i = 0; i < 300; ++i) expected[i] = 100 + i;
  ASSERT_NO_FATAL_FAILURE(Fixture::expect_rows(table, expected));
  const Numbers repeated = repeated_numbers(4000, 400, 3);
  const InsertResult sums =
      table.insert_or_apply(Exec(), Fixture::source(repeated), RowsFrom{0}, AddRow{});
  for (std::uint32_t i = 0; i < repeated.size(); ++i) {
    const auto [entry, is_new] = expected.emplace(Fixture::normal(repeated[i]), i);
    if (!is_new) entry->second += i;
  }
  EXPECT_EQ(sums.inserted + sums.existing, repeated.size());
  ASSERT_NO_FATAL_FAILURE(Fixture::expect_rows(table, expected));
  table.insert_or_apply(Exec(), source, RowsFrom{0}, MinRow{});
  for (std::uint32_t i = 0; i < 300; ++i) expected[i] = std::min(expected[i], i);
  ASSERT_NO_FATAL_FAILURE(Fixture::expect_rows(table, expected));
}

TYPED_TEST(LinearProbingOf, FindsOrInserts) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), Fixture::source(sequential_numbers(10)));
  const Kokkos::View<std::uint32_t*, Memory> there("hashmill::test::there", 20);
  const InsertResult result =
      table.find_or_insert(Exec(), Fixture::source(sequential_numbers(20)), RowsFrom{500}, there);
  EXPECT_EQ(result, (InsertResult{10, 10, 0}));
  const auto rows = to_host(there);
  for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(rows[i], i < 10 ? i : 500 + i);
}

TYPED_TEST(LinearProbingOf, InsertsWhereAPredicateHolds) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), Fixture::source(Numbers{4}));
  const Kokkos::View<InsertOutcome*, Memory> outcomes("hashmill::test::outcomes", 8);
  const InsertResult result = table.insert_if(Exec(), Fixture::source(sequential_numbers(8)),
                                              RowsFrom{0}, EvenOnes{}, outcomes);
  EXPECT_EQ(result, (InsertResult{3, 1, 0}));
  const auto found = to_host(outcomes);
  for (std::uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(found[i], i % 2 != 0 ? InsertOutcome::skipped
                        : i == 4   ? InsertOutcome::existing
                                   : InsertOutcome::inserted);
  }
}

/// Entries with an odd row.
struct OddRows {
  template <class Key, class Row>
  KOKKOS_FUNCTION bool operator()(const Key&, Row row) const {
    return row % 2 != 0;
  }
};

TYPED_TEST(LinearProbingOf, ErasesWhereAPredicateHolds) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), Fixture::source(sequential_numbers(301)));
  EXPECT_EQ(table.erase_if(Exec(), OddRows{}), 150U);
  EXPECT_EQ(table.erase_if(Exec(), OddRows{}), 0U);
  Fixture::expect_rows(table, Fixture::rows_like_numbers(301, 2));
}

TYPED_TEST(LinearProbingOf, TellsLaterWhatWasInsertedAndErasedWithoutWaiting) {
  using Fixture = LinearProbingOf<TypeParam>;
  const Exec exec;
  Workspace<Memory> workspace;
  typename Fixture::Table table(exec, 10);
  const Kokkos::View<InsertResult, Memory> inserted("hashmill::test::inserted");
  const Kokkos::View<std::uint64_t, Memory> erased("hashmill::test::erased");
  // The second batch might not fit, for all the table knows, so it counts what there is.
  for (const std::uint64_t first : {0, 100}) {
    table.insert_async(exec, Fixture::source(sequential_numbers(200, first)), RowsFrom{first},
                       inserted, workspace);
  }
  table.erase_async(exec, Fixture::source(sequential_numbers(60, 290)), erased);
  InsertResult result;
  std::uint64_t number = 0;
  Kokkos::deep_copy(exec, result, inserted);
  Kokkos::deep_copy(exec, number, erased);
  exec.fence();
  EXPECT_EQ(result, (InsertResult{300, 100, 0}));
  EXPECT_EQ(number, 10U);
  table.recount(exec);
  EXPECT_EQ(table.num_tombstones(), 10U);
  Fixture::expect_rows(table, Fixture::rows_like_numbers(290, 1));
}

TYPED_TEST(LinearProbingOf, CountsEntriesInsertedWithoutWaitingBeforeItGrows) {
  using Fixture = LinearProbingOf<TypeParam>;
  const Exec exec;
  Workspace<Memory> workspace;
  typename Fixture::Table table(exec, 1000);
  const std::uint64_t slots = table.num_slots();
  const auto keys = Fixture::source(sequential_numbers(200));
  const Kokkos::View<InsertResult, Memory> inserted("hashmill::test::inserted");
  for (int round = 0; round < 20; ++round) {
    table.insert_async(exec, keys, RowsFrom{0}, inserted, workspace);
  }
  EXPECT_EQ(table.insert(exec, keys, RowsFrom{0}, workspace), (InsertResult{0, 200, 0}));
  EXPECT_EQ(table.num_slots(), slots);
  table.recount(exec);
  EXPECT_EQ(table.size(), 200U);
  Kokkos::deep_copy(inserted, InsertResult{});
  const auto no_growth = [&] {
    typename Fixture::Table full(exec, 20, {.load_factor = LoadFactor(0.9), .grow = false});
    full.insert_async(exec, keys, RowsFrom{0}, inserted, workspace);
    InsertResult result;
    Kokkos::deep_copy(exec, result, inserted);
    exec.fence();
    return std::pair(result, full.num_slots());
  }();
  EXPECT_EQ(no_growth.first.inserted, no_growth.second);
  EXPECT_EQ(no_growth.first.failed, 200 - no_growth.second);
}

TYPED_TEST(LinearProbingOf, FillsTheLastSlotAndTellsWhatFailed) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), 20, {.load_factor = LoadFactor(0.9), .grow = false});
  const std::uint64_t slots = table.num_slots();
  const auto keys = Fixture::source(sequential_numbers(slots + 5));
  EXPECT_EQ(table.insert(Exec(), keys, RowsFrom{0}), (InsertResult{slots, 0, 5}));
  EXPECT_EQ(table.size(), slots);
  const auto more = Fixture::source(sequential_numbers(3, 1'000));
  EXPECT_EQ(table.insert(Exec(), more, RowsFrom{0}), (InsertResult{0, 0, 3}));
  const Kokkos::View<bool*, Memory> there("hashmill::test::there", 3);
  table.contains(Exec(), more, there);
  EXPECT_FALSE(to_host(there)[0]);
  EXPECT_EQ(table.statistics(Exec()).num_entries, slots);
}

TYPED_TEST(LinearProbingOf, KeepsEveryRowOfRepeatedKeys) {
  using Fixture = LinearProbingOf<TypeParam>;
  using Key = typename TypeParam::Key;
  const Numbers keys = repeated_numbers(1500, 60, 8);
  Probing<Key, RepeatedKeys, std::uint64_t, typename TypeParam::Hash> table(
      Exec(), Fixture::source(keys), {.row_base = std::uint64_t{1} << 40});
  table.insert(Exec(), Fixture::source(keys), RowsFrom{0});
  ASSERT_EQ(table.size(), 2 * keys.size());
  const auto queries = Fixture::source(sequential_numbers(61));
  const auto found = table.retrieve(Exec(), queries);
  const auto offsets = to_host(found.offsets);
  auto rows = to_wide_host(found.rows);
  std::vector<std::vector<std::uint64_t>> expected(61);
  for (std::uint64_t i = 0; i < keys.size(); ++i) expected[keys[i]].push_back(i);
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    expected[keys[i]].push_back((std::uint64_t{1} << 40) + i);
  }
  for (std::size_t q = 0; q < expected.size(); ++q) {
    std::sort(rows.begin() + offsets[q], rows.begin() + offsets[q + 1]);
    ASSERT_EQ(std::vector(rows.begin() + offsets[q], rows.begin() + offsets[q + 1]), expected[q]);
  }
  const std::uint64_t of_five = 2 * std::count(keys.begin(), keys.end(), 5U);
  EXPECT_EQ(table.erase(Exec(), Fixture::source(Numbers{5, 5, 77})), of_five);
  EXPECT_EQ(table.size(), 2 * keys.size() - of_five);
}

/// Sums the rows of all entries.
struct SumRows {
  Kokkos::View<std::uint64_t, Memory> sum;
  template <class Key, class Row>
  KOKKOS_FUNCTION void operator()(const Key&, Row row) const {
    Kokkos::atomic_add(&sum(), std::uint64_t{row});
  }
};

TEST(LinearProbingLarge, InsertsInParts) {
  const std::uint64_t n = (std::uint64_t{1} << 21) + 12'345;
  const Numbers numbers = repeated_numbers(n, n / 2, 9);
  std::unordered_map<std::uint64_t, std::uint64_t> copies;
  for (const std::uint64_t number : numbers) ++copies[number];
  const KeyColumns<std::uint64_t> keys(numbers);
  const Probing<std::uint64_t, UniqueKeys> unique(Exec(), keys.source(),
                                                  {.load_factor = LoadFactor(0.9)});
  EXPECT_EQ(unique.size(), copies.size());
  Probing<std::uint64_t, RepeatedKeys> multi(Exec(), n);
  EXPECT_EQ(multi.insert(Exec(), keys.source(), RowsFrom{0}).inserted, n);
  const Numbers queries = sequential_numbers(n / 2 + 10);
  const KeyColumns<std::uint64_t> query_keys(queries);
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test::counts", queries.size());
  multi.count(Exec(), query_keys.source(), counts);
  const auto found = to_host(counts);
  for (const std::uint64_t query : queries) {
    const auto entry = copies.find(query);
    ASSERT_EQ(found[query], entry == copies.end() ? 0 : entry->second);
  }
  unique.count(Exec(), query_keys.source(), counts);
  const auto once = to_host(counts);
  for (const std::uint64_t query : queries) ASSERT_EQ(once[query], copies.count(query));
  const Kokkos::View<std::uint64_t, Memory> sum("hashmill::test::sum");
  multi.for_each(Exec(), SumRows{sum});
  std::uint64_t total = 0;
  Kokkos::deep_copy(total, sum);
  EXPECT_EQ(total, n * (n - 1) / 2);
}

TEST(LinearProbingLarge, GrowsFromNothing) {
  const Numbers numbers = sequential_numbers(300'000);
  const KeyColumns<std::uint32_t> keys(numbers);
  Probing<std::uint32_t, UniqueKeys> table(Exec(), 0);
  EXPECT_EQ(table.insert(Exec(), keys.source(), RowsFrom{0}), (InsertResult{numbers.size(), 0, 0}));
  EXPECT_EQ(table.insert(Exec(), keys.source(), RowsFrom{0}), (InsertResult{0, numbers.size(), 0}));
  EXPECT_LE(table.size(), table.num_slots() / 2 + 1);
  const KeyColumns<std::uint32_t> equal(equal_numbers(200'000, 3));
  Probing<std::uint32_t, UniqueKeys> one(Exec(), 0);
  EXPECT_EQ(one.insert(Exec(), equal.source(), RowsFrom{0}), (InsertResult{1, 199'999, 0}));
}

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
  friend constexpr bool operator==(const WindowHash&, const WindowHash&) = default;
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

TEST(LinearProbing, KeysThatComeAndGoDoNotGrowIt) {
  constexpr std::uint64_t live = 10'000, changed = 1000;
  Probing<std::uint32_t, UniqueKeys> table(Exec(), 2 * live);
  const auto batch = [](std::uint64_t first, std::uint64_t count) {
    std::vector<std::uint32_t> keys(count);
    std::iota(keys.begin(), keys.end(), static_cast<std::uint32_t>(first));
    return to_device(keys);
  };
  const std::uint64_t slots = table.num_slots();
  table.insert(Exec(), batch(0, live), RowsFrom{0});
  for (std::uint64_t round = 0; round < 100; ++round) {
    EXPECT_EQ(table.erase(Exec(), batch(round * changed, changed)), changed);
    const std::uint64_t first = live + round * changed;
    const InsertResult result = table.insert(Exec(), batch(first, changed), RowsFrom{first});
    EXPECT_EQ(result.inserted, changed);
  }
  EXPECT_EQ(table.size(), live);
  EXPECT_EQ(table.num_slots(), slots);
  EXPECT_EQ(table.statistics(Exec()).num_entries, live);
}

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
    const detail::ExclusiveUse::Scope first(use, "first");
    EXPECT_THROW(detail::ExclusiveUse::Scope(use, "second"), InvalidArgument);
  }
  EXPECT_NO_THROW(detail::ExclusiveUse::Scope(use, "third"));
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
