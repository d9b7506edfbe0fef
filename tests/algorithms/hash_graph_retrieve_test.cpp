#include <gtest/gtest.h>

#include "algorithms/expect_table.hpp"

namespace hashmill::test {
namespace {

class HashGraphRetrieve : public testing::TestWithParam<TableCase> {};

TEST_P(HashGraphRetrieve, ListsAllRowsOfEveryQuery) {
  const std::uint64_t size = std::min<std::uint64_t>(2001, GetParam().most_keys);
  for (const auto& [name, keys] : every_shape(size, 29)) {
    SCOPED_TRACE(name);
    const Answers answers = all_answers(Reference(GetParam(), keys), 300);
    for (const double load : {0.25, 1.0, 16.0}) {
      const auto table = GetParam().build(keys, {.load_factor = LoadFactor(load)});
      ASSERT_NO_FATAL_FAILURE(expect_retrieve(*table, answers));
    }
  }
}

TEST_P(HashGraphRetrieve, ListsNothingForNoQueries) {
  const RowLists found = GetParam().build(sequential_numbers(10), {})->retrieve({});
  EXPECT_EQ(found.offsets, Numbers{0});
  EXPECT_TRUE(found.rows.empty());
}

TEST_P(HashGraphRetrieve, ListsNothingFromAnEmptyTable) {
  const RowLists found = GetParam().build({}, {})->retrieve(sequential_numbers(10));
  EXPECT_EQ(found.offsets, Numbers(11, 0));
  EXPECT_TRUE(found.rows.empty());
}

TEST_P(HashGraphRetrieve, ListsRowsAgainForEveryRepeatedQuery) {
  const Numbers keys = equal_numbers(100, 3);
  const Answers answers = answers_to(Reference(GetParam(), keys), Numbers{3, 4, 3, 3});
  EXPECT_EQ(answers.rows.rows.size(), 300U);
  expect_retrieve(*GetParam().build(keys, {}), answers);
}

std::vector<TableCase> cases_with_rows() {
  std::vector<TableCase> cases;
  for (auto& table_case : table_cases()) {
    if (table_case.has_rows) cases.push_back(table_case);
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Tables, HashGraphRetrieve, testing::ValuesIn(cases_with_rows()),
                         CaseName());

}  // namespace
}  // namespace hashmill::test
