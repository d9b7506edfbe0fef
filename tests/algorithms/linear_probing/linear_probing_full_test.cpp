#include <map>

#include "linear_probing_fixture.hpp"

// Tables that may not grow: what becomes of rows that there is no room for.

namespace hashmill::test {
namespace {

template <class Types>
class FullLinearProbing : public LinearProbingOf<Types> {};
TYPED_TEST_SUITE(FullLinearProbing, ProbingCombinations);

constexpr LinearProbingOptions fixed{.load_factor = LoadFactor(0.9), .growth = false};

/// Entries that a table of `fixed` takes.
template <class Table>
std::uint64_t most_entries(const Table& table) {
  return table.num_slots() * 9 / 10;
}

TYPED_TEST(FullLinearProbing, StopsAtItsLoadFactorAndTellsWhatFailed) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), 20, fixed);
  const std::uint64_t most = most_entries(table);
  ASSERT_GE(most, 20U);
  const auto keys = Fixture::source(sequential_numbers(most + 5));
  EXPECT_EQ(table.insert(Exec(), keys, RowsFrom{0}), (InsertResult{most, 0, 5}));
  EXPECT_EQ(table.insert(Exec(), keys, RowsFrom{0}), (InsertResult{0, most, 5}));
  EXPECT_EQ(table.size(), most);
  const auto more = Fixture::source(sequential_numbers(3, 1'000));
  EXPECT_EQ(table.insert(Exec(), more, RowsFrom{0}), (InsertResult{0, 0, 3}));
  const Kokkos::View<bool*, Memory> there("hashmill::test::there", 3);
  table.contains(Exec(), more, there);
  EXPECT_FALSE(to_host(there)[0]);
  EXPECT_EQ(table.statistics(Exec()).num_entries, most);
}

TYPED_TEST(FullLinearProbing, TakesAsManyAsAskedForAtAnyLoadFactor) {
  using Fixture = LinearProbingOf<TypeParam>;
  for (const double load : {0.03, 0.1, 0.3, 0.55, 0.7, 0.9, 0.95}) {
    for (const std::uint64_t entries : {1, 2, 3, 7, 19, 57, 95, 190, 343}) {
      typename Fixture::Table table(Exec(), entries, {LoadFactor(load), false});
      EXPECT_EQ(table.insert(Exec(), Fixture::source(sequential_numbers(entries)), RowsFrom{0}),
                (InsertResult{entries, 0, 0}))
          << "at load factor " << load;
    }
  }
}

TYPED_TEST(FullLinearProbing, TakesKeysInThePlaceOfErasedOnes) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), 100, fixed);
  const std::uint64_t slots = table.num_slots(), most = most_entries(table);
  std::uint64_t first = 0;
  table.insert(Exec(), Fixture::source(sequential_numbers(most)), RowsFrom{0});
  for (const std::uint64_t count : {1, 1, 1, 30, 1, 80, 100, 2, 3, 1, 1, 50}) {
    ASSERT_EQ(table.erase(Exec(), Fixture::source(sequential_numbers(count, first))), count);
    const Numbers added = sequential_numbers(count + 4, first + most);
    const InsertResult result =
        table.insert(Exec(), Fixture::source(added), RowsFrom{first + most});
    ASSERT_EQ(result, (InsertResult{count, 0, 4}));
    // Which four failed is open: they are all but the last `count` in from now on.
    table.erase(Exec(), Fixture::source(added));
    ASSERT_EQ(table.insert(Exec(), Fixture::source(sequential_numbers(count, first + most)),
                           RowsFrom{first + most}),
              (InsertResult{count, 0, 0}));
    first += count;
    ASSERT_EQ(table.num_slots(), slots);
    typename Fixture::Expected expected;
    for (std::uint64_t i = first; i < first + most; ++i) {
      expected[Fixture::normal(i)] = static_cast<std::uint32_t>(i);
    }
    ASSERT_NO_FATAL_FAILURE(Fixture::expect_rows(table, expected));
  }
}

TYPED_TEST(FullLinearProbing, AppliesAllRowsOfAKeyOrNone) {
  using Fixture = LinearProbingOf<TypeParam>;
  for (const bool sorted : {false, true}) {
    Numbers keys = repeated_numbers(6000, 400, 3);
    if (sorted) std::sort(keys.begin(), keys.end());
    std::map<std::uint64_t, std::uint32_t> sums;
    for (std::uint32_t i = 0; i < keys.size(); ++i) sums[Fixture::normal(keys[i])] += i;
    ASSERT_GT(sums.size(), 300U);
    typename Fixture::Table table(Exec(), 100, fixed);
    const std::uint64_t most = most_entries(table);
    const InsertResult result =
        table.insert_or_apply(Exec(), Fixture::source(keys), RowsFrom{0}, AddRow{});
    EXPECT_EQ(result.inserted, most);
    EXPECT_EQ(result.inserted + result.existing + result.failed, keys.size());
    EXPECT_EQ(table.size(), most);
    Numbers queries;
    for (const auto& [number, sum] : sums) queries.push_back(number);
    const Kokkos::View<std::uint32_t*, Memory> rows("hashmill::test::rows", queries.size());
    table.find(Exec(), Fixture::source(queries), rows);
    const auto found = to_host(rows);
    std::uint64_t present = 0;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (found[q] == no_row<std::uint32_t>) continue;
      ++present;
      ASSERT_EQ(found[q], sums[queries[q]]) << "key " << queries[q];
    }
    EXPECT_EQ(present, most);
  }
}

TYPED_TEST(FullLinearProbing, FindsWhereItCannotInsert) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), Fixture::source(sequential_numbers(10)), fixed);
  const std::uint64_t more = most_entries(table) - 10;
  const Numbers keys = sequential_numbers(60);
  const Kokkos::View<std::uint32_t*, Memory> there("hashmill::test::there", keys.size());
  EXPECT_EQ(table.find_or_insert(Exec(), Fixture::source(keys), RowsFrom{500}, there),
            (InsertResult{more, 10, 50 - more}));
  const auto rows = to_host(there);
  std::uint64_t inserted = 0;
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    if (i < 10) {
      EXPECT_EQ(rows[i], i);
    } else if (rows[i] != no_row<std::uint32_t>) {
      EXPECT_EQ(rows[i], 500 + i);
      ++inserted;
    }
  }
  EXPECT_EQ(inserted, more);
}

struct EvenOnes {
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const { return i % 2 == 0; }
};

TYPED_TEST(FullLinearProbing, TellsTheOutcomeOfEachRow) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), Fixture::source(sequential_numbers(10)), fixed);
  const std::uint64_t more = most_entries(table) - 10;
  const Kokkos::View<InsertOutcome*, Memory> outcomes("hashmill::test::outcomes", 60);
  EXPECT_EQ(table.insert_if(Exec(), Fixture::source(sequential_numbers(60)), RowsFrom{0},
                            EvenOnes{}, outcomes),
            (InsertResult{more, 5, 25 - more}));
  std::map<InsertOutcome, std::uint64_t> counts;
  const auto told = to_host(outcomes);
  for (std::uint64_t i = 0; i < 60; ++i) {
    ++counts[told[i]];
    EXPECT_EQ(told[i] == InsertOutcome::skipped, i % 2 != 0);
    EXPECT_EQ(told[i] == InsertOutcome::existing, i % 2 == 0 && i < 10);
  }
  EXPECT_EQ(counts[InsertOutcome::inserted], more);
  EXPECT_EQ(counts[InsertOutcome::full], 25 - more);
}

TYPED_TEST(FullLinearProbing, RefusesBeforeItFails) {
  using Fixture = LinearProbingOf<TypeParam>;
  typename Fixture::Table table(Exec(), Fixture::source(sequential_numbers(30)), fixed);
  const std::uint64_t more = most_entries(table) - 30;
  const Kokkos::View<InsertOutcome*, Memory> outcomes("hashmill::test::outcomes", 60);
  const std::uint32_t first = no_row<std::uint32_t> - 2 - 57;  // the last 3 rows are refused
  EXPECT_EQ(table.insert_if(Exec(), Fixture::source(sequential_numbers(60)), RowsFrom{first},
                            EvenOnes{}, outcomes),
            (InsertResult{more, 15, 15 - more}));
  EXPECT_EQ(to_host(outcomes)[58], InsertOutcome::refused);
}

TYPED_TEST(FullLinearProbing, KeepsAsManyRowsOfOneKeyAsThereIsRoomFor) {
  using Fixture = LinearProbingOf<TypeParam>;
  Probing<typename TypeParam::Key, RepeatedKeys, std::uint32_t, typename TypeParam::Hash> table(
      Exec(), 20, fixed);
  const std::uint64_t most = most_entries(table);
  const auto keys = Fixture::source(Numbers(50, 7));
  EXPECT_EQ(table.insert(Exec(), keys, RowsFrom{0}), (InsertResult{most, 0, 50 - most}));
  EXPECT_EQ(table.insert(Exec(), keys, RowsFrom{0}), (InsertResult{0, 0, 50}));
  EXPECT_EQ(table.erase(Exec(), keys), most);
  EXPECT_EQ(table.insert(Exec(), keys, RowsFrom{0}), (InsertResult{most, 0, 50 - most}));
}

TEST(FullLinearProbing, KeepsLookupsShort) {
  const std::uint64_t entries = std::uint64_t{1} << 18;
  Probing<std::uint64_t, UniqueKeys> table(Exec(), entries, fixed);
  const KeyColumns<std::uint64_t> keys(random_numbers(2 * entries, 11));
  const std::uint64_t most = most_entries(table);
  EXPECT_EQ(table.insert(Exec(), keys.source(), RowsFrom{0}),
            (InsertResult{most, 0, 2 * entries - most}));
  EXPECT_LT(table.statistics(Exec()).mean_probe, 4);
  // Unique keys at 0.9 of slots, two a window: an absent key's search passes some 20 slots.
  EXPECT_LT(table.statistics(Exec()).longest_probe, 1000U);
}

TEST(FullLinearProbing, GivesKernelsTheLastSlot) {
  const std::uint64_t slots = Probing<std::uint32_t, UniqueKeys>(Exec(), 20, fixed).num_slots();
  Probing<std::uint32_t, UniqueKeys> table(Exec(), 20, fixed);
  const Kokkos::View<InsertResult, Memory> counts("hashmill::test::counts");
  const KeyColumns<std::uint32_t> keys(sequential_numbers(slots + 5));
  using Each = detail::InsertEach<decltype(table.ref()), decltype(keys.source()), RowsFrom<>>;
  detail::tally_items("hashmill::test::insert", Exec(), slots + 5,
                      Each{{table.ref(), keys.source(), RowsFrom{0}, {nullptr, 0, slots + 5}}},
                      {counts.data()});
  InsertResult result;
  Kokkos::deep_copy(result, counts);
  EXPECT_EQ(result, (InsertResult{slots, 0, 5}));
  table.recount(Exec());
  EXPECT_EQ(table.size(), slots);
  EXPECT_EQ(table.insert(Exec(), keys.source(), RowsFrom{0}), (InsertResult{0, slots, 5}));
}

}  // namespace
}  // namespace hashmill::test
