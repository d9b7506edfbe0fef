#include <hashmill/multi_map.hpp>

#include "linear_probing_fixture.hpp"

namespace hashmill::test {
namespace {

static_assert(MultiMap<Probing<std::uint32_t, UniqueKeys>>);
static_assert(RowMultiMapRef<Probing<Key128, RepeatedKeys, std::uint64_t>::ref_type>);
static_assert(sizeof(Probing<std::uint32_t, UniqueKeys>::ref_type::Slot) == 8);
static_assert(sizeof(Probing<std::uint64_t, UniqueKeys>::ref_type::Slot) == 16);
static_assert(sizeof(Probing<Key128, UniqueKeys>::ref_type::Slot) == 32);

TYPED_TEST_SUITE(LinearProbingOf, ProbingCombinations);

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

}  // namespace
}  // namespace hashmill::test
