#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/hashmill.hpp>
#include <map>

#include "algorithms/join/row_rules.hpp"
#include "algorithms/row_container/row_columns.hpp"
#include "algorithms/support/hashes.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

// A TagBucket over a RowContainer: keys and payload in the container, found by columns.

/// A city, a street and a height as keys, and the number of the row as payload.
using Container = RowContainer<Memory, std::int64_t, StringView, double, std::uint64_t>;

std::uint64_t append(Container& container, const std::vector<Row>& rows) {
  const RowColumns<std::int64_t> columns(rows);
  const auto payload = to_device(sequential_numbers(rows.size(), container.size()));
  return container.append(Exec(), columns.city(), columns.street(), columns.height(), payload);
}
template <class Hash, class RowNumber>
auto index_of(const Container& container, const Rules& rules) {
  const auto keys = rules.apply(container.keys<0, 1, 2>());
  using Keys = std::decay_t<decltype(keys)>;
  return TagBucket<typename Keys::key_type, Memory, RowNumber, Hash, RowEqual, Keys>(Exec(), keys);
}

/// Expects look-ups of the queries to find the payloads of the rows that match each.
template <class Table>
void expect_payloads(const Container& container, const Table& table, const std::vector<Row>& rows,
                     const std::vector<Row>& queries, const Rules& rules) {
  std::multimap<std::uint64_t, std::uint64_t> expected;
  for (std::uint64_t q = 0; q < queries.size(); ++q) {
    for (std::uint64_t r = 0; r < rows.size(); ++r) {
      if (rules.match(queries[q], rows[r])) expected.emplace(q, r);
    }
  }
  const RowColumns<std::int16_t> columns(queries);
  const auto found = table.retrieve(Exec(), rules.apply(columns.keys()));
  const Kokkos::View<std::uint64_t*, Memory> payloads("hashmill::test::payloads", found.size());
  container.extract<3>(Exec(), found.rows, payloads);
  const auto host = to_host(payloads), offsets = to_host(found.offsets);
  ASSERT_EQ(host.size(), expected.size());
  for (std::uint64_t q = 0; q < queries.size(); ++q) {
    const auto [from, to] = expected.equal_range(q);
    std::vector<std::uint64_t> mine(host.begin() + static_cast<std::ptrdiff_t>(offsets[q]),
                                    host.begin() + static_cast<std::ptrdiff_t>(offsets[q + 1]));
    std::sort(mine.begin(), mine.end());
    ASSERT_TRUE(std::equal(mine.begin(), mine.end(), from, to,
                           [](std::uint64_t row, const auto& pair) { return row == pair.second; }))
        << "query " << q;
  }
}

template <class HashType, class RowType>
struct HashAndRow {
  using Hash = HashType;
  using Row = RowType;
};
template <class Types>
class RowIndex : public testing::Test {};
using HashesAndRows =
    SampledTypes<HashAndRow<RowHash, std::uint32_t>, HashAndRow<RowHash, std::uint64_t>,
                 HashAndRow<ConstantHash, std::uint32_t>>;
TYPED_TEST_SUITE(RowIndex, HashesAndRows);

TYPED_TEST(RowIndex, FindsThePayloadsOfAllMatches) {
  for (const bool nulls_equal : {false, true}) {
    for (const bool nans_unequal : {false, true}) {
      const Rules rules{nulls_equal, nans_unequal};
      SCOPED_TRACE("nulls equal " + std::to_string(nulls_equal) + ", NaNs unequal " +
                   std::to_string(nans_unequal));
      for (const std::uint64_t size : {0, 1, 300}) {
        const auto rows = random_rows(size, 21), queries = random_rows(257, 22);
        Container container;
        append(container, rows);
        const auto table =
            index_of<typename TypeParam::Hash, typename TypeParam::Row>(container, rules);
        ASSERT_NO_FATAL_FAILURE(expect_payloads(container, table, rows, queries, rules));
      }
    }
  }
}

TYPED_TEST(RowIndex, FollowsAContainerThatGrows) {
  const Rules rules{.nulls_equal = true};
  Container container;
  auto table = index_of<typename TypeParam::Hash, typename TypeParam::Row>(container, rules);
  std::vector<Row> rows;
  for (const std::uint64_t size : {1, 100, 0, 300}) {
    const auto batch = random_rows(size, size);
    const std::uint64_t first = append(container, batch);
    rows.insert(rows.end(), batch.begin(), batch.end());
    table.set_keys(Exec(), rules.apply(container.keys<0, 1, 2>()));
    EXPECT_EQ(table.insert(Exec(), first, batch.size()).inserted, batch.size());
    ASSERT_NO_FATAL_FAILURE(expect_payloads(container, table, rows, random_rows(90, 5), rules));
  }
}

TYPED_TEST(RowIndex, StandsForGroupsByOneRowEach) {
  const Rules rules{.nulls_equal = true};
  const auto rows = random_rows(700, 31);
  Container container;
  append(container, rows);
  const auto keys = rules.apply(container.keys<0, 1, 2>());
  using Table = TagBucket<typename decltype(keys)::key_type, Memory, typename TypeParam::Row,
                          typename TypeParam::Hash, RowEqual, std::decay_t<decltype(keys)>>;
  Table table(Exec(), keys, {.initial_rows = 0});
  const Kokkos::View<typename TypeParam::Row*, Memory> there("hashmill::test::there", rows.size());
  const InsertResult result = table.find_or_insert(Exec(), 0, rows.size(), there);
  std::map<GroupKey, std::uint64_t> groups;
  const auto representatives = to_wide_host(there);
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    const auto [group, is_new] = groups.emplace(group_key(rows[i]), representatives[i]);
    ASSERT_EQ(group->second, representatives[i]) << "row " << i;
  }
  EXPECT_EQ(result.inserted, groups.size());
  EXPECT_EQ(result.existing, rows.size() - groups.size());
}

TEST(RowIndexKeys, MatchAHashGraphOfRows) {
  const Rules rules;
  const auto rows = random_rows(300, 41), queries = random_rows(100, 42);
  Container container;
  append(container, rows);
  expect_payloads(container, row_table(Exec(), container.keys<0, 1, 2>()), rows, queries, rules);
}

TEST(RowIndexKeys, HaveRulesByColumn) {
  const std::vector<Row> rows{{1, std::nullopt, 2.0}, {std::nullopt, "a", 2.0}};
  Container container;
  append(container, rows);
  const auto keys = container.keys<0, 1, 2>().nulls_equal(1).nans_unequal(2);
  const auto table = row_table(Exec(), keys);
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test::counts", 2);
  table.count(Exec(), keys, counts);
  EXPECT_EQ(to_host(counts), (std::vector<std::uint64_t>{1, 0}));
  EXPECT_THROW((void)keys.nulls_equal(3), InvalidArgument);
}

}  // namespace
}  // namespace hashmill::test
