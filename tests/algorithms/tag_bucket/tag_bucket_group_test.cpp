#include <gtest/gtest.h>

#include <map>

#include "algorithms/support/hashes.hpp"
#include "sampled_types.hpp"
#include "tag_bucket_table.hpp"

namespace hashmill::test {
namespace {

template <class Table>
class TagBucketGroups : public testing::Test {
 protected:
  using Row = typename Table::Owner::row_type;

  static std::uint64_t normal(std::uint64_t number) { return Table::table_case().normal(number); }

  /// Groups rows [first, first + count) and expects one representative a key: the one that
  /// `groups` has for it, or else one of these rows, which goes into `groups`.
  static InsertResult expect_groups(Table& table, const Numbers& keys, std::uint64_t first,
                                    std::uint64_t count, std::uint64_t row_base,
                                    std::map<std::uint64_t, std::uint64_t>& groups) {
    const Kokkos::View<Row*, Memory> there("hashmill::test::there", count);
    const InsertResult result = table.owner().find_or_insert(Exec(), first, count, there);
    const auto rows = to_wide_host(there);
    const std::size_t before = groups.size();
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto [group, is_new] = groups.emplace(normal(keys[first + i]), rows[i]);
      EXPECT_EQ(group->second, rows[i]) << "row " << first + i;
      if (!is_new) continue;
      EXPECT_GE(rows[i], row_base + first);
      EXPECT_LT(rows[i], row_base + first + count);
      EXPECT_EQ(normal(keys.at(rows[i] - row_base)), normal(keys[first + i]));
    }
    EXPECT_EQ(result.inserted, groups.size() - before);
    EXPECT_EQ(result.existing, count - result.inserted);
    EXPECT_EQ(result.failed, 0U);
    EXPECT_EQ(table.size(), groups.size());
    EXPECT_EQ(table.owner().num_keys(), groups.size());
    return result;
  }

  /// Expects every key to have its representative and no other row.
  static void expect_rows(const Table& table,
                          const std::map<std::uint64_t, std::uint64_t>& groups) {
    Numbers queries = random_numbers(40, 4711);
    for (const auto& group : groups) queries.push_back(group.first);
    const auto counts = table.count(queries);
    const auto rows = table.find(queries);
    for (std::size_t q = 0; q < queries.size(); ++q) {
      const auto group = groups.find(normal(queries[q]));
      ASSERT_EQ(counts[q], group == groups.end() ? 0U : 1U);
      ASSERT_EQ(rows[q], group == groups.end() ? ~std::uint64_t{0} : group->second);
    }
  }
};

using Tables = SampledTypes<TagBucketTable<std::uint64_t, std::uint64_t, FourBitHash>,
                            TagBucketTable<std::uint32_t, std::uint32_t, ConstantHash>,
                            TagBucketTable<WideKey, std::uint32_t, WideHash, WideEqual>>;
TYPED_TEST_SUITE(TagBucketGroups, Tables);

TYPED_TEST(TagBucketGroups, HaveOneRepresentativeAcrossBatches) {
  for (const auto& [name, keys] : every_shape(2000, 15)) {
    SCOPED_TRACE(name);
    TypeParam table(keys, {.buckets = BucketCount(1), .initial_rows = 0, .row_base = 11});
    std::map<std::uint64_t, std::uint64_t> groups;
    std::uint64_t first = 0;
    for (const std::uint64_t count : {0, 1, 31, 500, 1468}) {
      this->expect_groups(table, keys, first, count, 11, groups);
      first += count;
    }
    EXPECT_EQ(this->expect_groups(table, keys, 0, 2000, 11, groups).inserted, 0U);
    this->expect_rows(table, groups);
  }
}

TYPED_TEST(TagBucketGroups, AreFoundWhereRowsWereLinked) {
  const Numbers keys = repeated_numbers(1000, 150, 16);
  TypeParam table(keys, {.initial_rows = 400});
  const std::uint64_t linked = table.size();
  const Kokkos::View<typename TypeParam::Owner::row_type*, Memory> there("hashmill::test::there",
                                                                         1000);
  const InsertResult result = table.owner().find_or_insert(Exec(), 0, 1000, there);
  EXPECT_EQ(result.inserted + result.existing, 1000U);
  EXPECT_EQ(table.size(), linked + result.inserted);
  EXPECT_EQ(table.find(keys), to_wide_host(there));
  const std::uint64_t size = table.size();
  EXPECT_EQ(table.insert(0, 1000), (InsertResult{.inserted = 1000 - size, .existing = size}));
}

TYPED_TEST(TagBucketGroups, EndWhereTheTableMustNotGrow) {
  const Numbers keys = sequential_numbers(200);
  TypeParam table(keys, {.buckets = BucketCount(8), .initial_rows = 0, .growth = false});
  const Kokkos::View<typename TypeParam::Owner::row_type*, Memory> there("hashmill::test::there",
                                                                         200);
  EXPECT_EQ(table.owner().find_or_insert(Exec(), 0, 200, there), (InsertResult{112, 0, 88}));
  const auto rows = to_wide_host(there);
  EXPECT_EQ(table.find(keys), rows);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), ~std::uint64_t{0}), 88);
  EXPECT_EQ(table.size(), 112U);
  EXPECT_EQ(table.owner().find_or_insert(Exec(), 0, 200, there), (InsertResult{0, 112, 88}));
  EXPECT_EQ(to_wide_host(there), rows);
}

TYPED_TEST(TagBucketGroups, MayStayUntold) {
  const Numbers keys = repeated_numbers(700, 90, 17);
  TypeParam table(keys, {.initial_rows = 0});
  const std::uint64_t distinct = Reference(TypeParam::table_case(), keys).distinct().size();
  EXPECT_EQ(table.owner().insert_unique(Exec(), 0, 700),
            (InsertResult{distinct, 700 - distinct, 0}));
  EXPECT_EQ(table.size(), distinct);
  EXPECT_EQ(table.owner().insert_unique(Exec(), 5, 100), (InsertResult{0, 100, 0}));
}

TYPED_TEST(TagBucketGroups, AreErasedAndMadeAgain) {
  const Numbers keys = repeated_numbers(900, 300, 18);
  TypeParam table(keys, {.buckets = BucketCount(2), .initial_rows = 0});
  std::map<std::uint64_t, std::uint64_t> groups;
  for (std::uint64_t round = 0; round < 4; ++round) {
    this->expect_groups(table, keys, 0, 900, 0, groups);
    const Numbers erased = sequential_numbers(150, round * 50);
    for (const std::uint64_t number : erased) groups.erase(this->normal(number));
    table.erase(erased);
    this->expect_rows(table, groups);
  }
}

TYPED_TEST(TagBucketGroups, RefuseResultsOfAnotherLengthAndRowsThatAreNone) {
  TypeParam table(sequential_numbers(10));
  const Kokkos::View<typename TypeParam::Owner::row_type*, Memory> there("hashmill::test::there",
                                                                         4);
  EXPECT_THROW(table.owner().find_or_insert(Exec(), 0, 5, there), InvalidArgument);
  EXPECT_THROW(table.owner().find_or_insert(Exec(), 7, 4, there), InvalidArgument);
  EXPECT_EQ(table.owner().find_or_insert(Exec(), 6, 4, there), (InsertResult{0, 4, 0}));
}

TEST(TagBucketGroupsLarge, AreFewOrMany) {
  using Table = TagBucketTable<std::uint64_t, std::uint32_t, Murmur3Hash>;
  for (const std::uint64_t distinct : {5, 3000, 200'000}) {
    const Numbers keys = repeated_numbers(300'000, distinct, 19);
    Table table(keys, {.buckets = BucketCount(1), .initial_rows = 0});
    const Kokkos::View<std::uint32_t*, Memory> there("hashmill::test::there", keys.size());
    const std::uint64_t groups = Reference(Table::table_case(), keys).distinct().size();
    EXPECT_EQ(table.owner().find_or_insert(Exec(), 0, keys.size(), there),
              (InsertResult{groups, keys.size() - groups, 0}));
    EXPECT_EQ(table.find(keys), to_wide_host(there));
    EXPECT_EQ(table.size(), groups);
    EXPECT_LE(groups, 14 * table.owner().num_buckets());
    EXPECT_GT(groups, distinct == 5 ? 0 : 7 * table.owner().num_buckets());
  }
}

/// Rows whose number less a base leaves a remainder.
struct Remainder {
  std::uint64_t base, divisor, remainder;
  KOKKOS_FUNCTION bool operator()(std::uint64_t i) const {
    return (i - base) % divisor == remainder;
  }
};

TYPED_TEST(TagBucketGroups, InsertsWhereAPredicateHolds) {
  const Numbers keys = repeated_numbers(600, 200, 20);
  TypeParam table(keys, {.initial_rows = 50});
  const Kokkos::View<InsertOutcome*, Memory> outcomes("hashmill::test::outcomes", 500);
  const InsertResult result =
      table.owner().insert_if(Exec(), 20, 500, Remainder{0, 3, 1}, outcomes);
  EXPECT_EQ(result, (InsertResult{157, 10, 0}));
  const auto told = to_host(outcomes);
  for (std::uint64_t i = 0; i < 500; ++i) {
    ASSERT_EQ(told[i], i % 3 != 1 ? InsertOutcome::skipped
                       : i < 30   ? InsertOutcome::existing
                                  : InsertOutcome::inserted);
  }
  std::multimap<std::uint64_t, std::uint64_t> expected;
  for (std::uint64_t row = 0; row < 600; ++row) {
    if (row < 50 || (row >= 20 && row < 520 && (row - 20) % 3 == 1))
      expected.emplace(keys[row], row);
  }
  EXPECT_EQ(table.size(), expected.size());
  const Numbers queries = sequential_numbers(200);
  const auto counts = table.count(queries);
  for (const std::uint64_t query : queries) EXPECT_EQ(counts[query], expected.count(query));
  EXPECT_EQ(table.owner().insert_if(Exec(), 600, 0, Remainder{0, 3, 1},
                                    Kokkos::View<InsertOutcome*, Memory>()),
            (InsertResult{}));
  EXPECT_THROW(table.owner().insert_if(Exec(), 0, 499, Remainder{0, 3, 1}, outcomes),
               InvalidArgument);
}

TYPED_TEST(TagBucketGroups, TellsWhichRowsFoundNoRoom) {
  const Numbers keys = sequential_numbers(300);
  TypeParam table(keys, {.buckets = BucketCount(8), .initial_rows = 100, .growth = false});
  const Kokkos::View<InsertOutcome*, Memory> outcomes("hashmill::test::outcomes", 300);
  EXPECT_EQ(table.owner().insert_if(Exec(), 0, 300, Remainder{0, 2, 0}, outcomes),
            (InsertResult{12, 50, 88}));
  const auto told = to_host(outcomes);
  const auto found = table.contains(keys);
  for (std::uint64_t i = 0; i < 300; ++i) {
    ASSERT_EQ(told[i], i % 2 != 0 ? InsertOutcome::skipped
                       : i < 100  ? InsertOutcome::existing
                       : found[i] ? InsertOutcome::inserted
                                  : InsertOutcome::full);
  }
}

TYPED_TEST(TagBucketGroups, ErasesWhereAPredicateHolds) {
  for (const std::uint64_t distinct : {1, 2, 40, 700}) {
    const Numbers keys = repeated_numbers(1000, distinct, 21);
    TypeParam table(keys, {.load_factor = LoadFactor(0.875), .row_base = 6});
    std::vector<bool> there(1000, true);
    const auto expect_there = [&] {
      std::map<std::uint64_t, Numbers> expected;
      for (std::uint64_t i = 0; i < 1000; ++i) {
        if (there[i]) expected[keys[i]].push_back(i + 6);
      }
      ASSERT_EQ(table.owner().num_keys(), expected.size());
      const Numbers queries = sequential_numbers(distinct);
      const RowLists found = table.retrieve(queries);
      for (const std::uint64_t query : queries) {
        Numbers rows(found.rows.begin() + found.offsets[query],
                     found.rows.begin() + found.offsets[query + 1]);
        std::sort(rows.begin(), rows.end());
        ASSERT_EQ(rows, expected[query]) << query;
      }
    };
    for (const auto& [divisor, remainder] :
         {std::pair{1000, 999}, {1000, 999}, {3, 1}, {2, 0}, {1000, 500}, {1, 0}}) {
      std::uint64_t erased = 0;
      for (std::uint64_t i = 0; i < 1000; ++i) {
        if (i % divisor != static_cast<std::uint64_t>(remainder) || !there[i]) continue;
        there[i] = false;
        ++erased;
      }
      const Remainder chosen{6, static_cast<std::uint64_t>(divisor),
                             static_cast<std::uint64_t>(remainder)};
      ASSERT_EQ(table.owner().erase_if(Exec(), chosen), erased);
      ASSERT_NO_FATAL_FAILURE(expect_there());
    }
    EXPECT_EQ(table.size(), 0U);
    EXPECT_EQ(table.insert(0, 1000).inserted, 1000U);
    there.assign(1000, true);
    expect_there();
  }
}

}  // namespace
}  // namespace hashmill::test
