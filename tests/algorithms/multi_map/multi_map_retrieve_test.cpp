#include <gtest/gtest.h>

#include "algorithms/support/expect_table.hpp"
#include "multi_map_cases.hpp"

namespace hashmill::test {
namespace {

class MultiMapRetrieve : public testing::TestWithParam<MultiMapCase> {};

TEST_P(MultiMapRetrieve, ListsAllRowsOfEveryQuery) {
  const std::uint64_t size = std::min<std::uint64_t>(2001, GetParam().most_keys);
  for (const auto& [name, keys] : every_shape(size, 29)) {
    SCOPED_TRACE(name);
    const Answers answers = all_answers(Reference(GetParam(), keys), 300);
    for (const double load : GetParam().loads) {
      const auto table = GetParam().make(keys, load, 0);
      ASSERT_NO_FATAL_FAILURE(expect_retrieve(*table, answers));
    }
  }
}

TEST_P(MultiMapRetrieve, ListsNothingForNoQueries) {
  const RowLists found = GetParam().table(sequential_numbers(10))->retrieve({});
  EXPECT_EQ(found.offsets, Numbers{0});
  EXPECT_TRUE(found.rows.empty());
}

TEST_P(MultiMapRetrieve, ListsNothingFromAnEmptyTable) {
  const RowLists found = GetParam().table({})->retrieve(sequential_numbers(10));
  EXPECT_EQ(found.offsets, Numbers(11, 0));
  EXPECT_TRUE(found.rows.empty());
}

TEST_P(MultiMapRetrieve, ListsRowsAgainForEveryRepeatedQuery) {
  const Numbers keys = equal_numbers(100, 3);
  const Answers answers = answers_to(Reference(GetParam(), keys), Numbers{3, 4, 3, 3});
  EXPECT_EQ(answers.rows.rows.size(), 300U);
  expect_retrieve(*GetParam().table(keys), answers);
}

/// Expects the entries of a table, all at once and one by one, to be those of the reference.
void expect_entries(const MultiMapTable& table, const Reference& reference) {
  const auto entries = table.retrieve_all();
  ASSERT_EQ(entries.size(), reference.size());
  std::vector<std::uint64_t> rows;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& expected = reference.rows(entries[i].first);
    ASSERT_TRUE(std::binary_search(expected.begin(), expected.end(), entries[i].second))
        << "row " << entries[i].second << " of key " << entries[i].first;
    ASSERT_TRUE(i == 0 || entries[i] != entries[i - 1]) << "row " << entries[i].second << " twice";
    if (reference.unique_keys()) {
      ASSERT_TRUE(i == 0 || entries[i].first != entries[i - 1].first) << entries[i].first;
    }
    rows.push_back(entries[i].second);
  }
  std::sort(rows.begin(), rows.end());
  ASSERT_EQ(table.each_row(), rows);
}

TEST_P(MultiMapRetrieve, ListsAllEntries) {
  for (const std::uint64_t size : {0, 1, 257, 2001}) {
    for (const auto& [name, keys] : every_shape(std::min(size, GetParam().most_keys), 30)) {
      SCOPED_TRACE(name);
      const auto table = GetParam().make(keys, GetParam().loads.back(), 5);
      Reference reference(GetParam(), keys, 5);
      ASSERT_NO_FATAL_FAILURE(expect_entries(*table, reference));
      Numbers erased = sequential_numbers(size / 3);
      erased.insert(erased.end(), keys.begin(),
                    keys.begin() + std::min<std::ptrdiff_t>(9, keys.size()));
      ASSERT_EQ(table->erase(erased), reference.erase(erased));
      ASSERT_NO_FATAL_FAILURE(expect_entries(*table, reference));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, MultiMapRetrieve, testing::ValuesIn(MultiMapCases::with_rows()),
                         CaseName());

}  // namespace
}  // namespace hashmill::test
