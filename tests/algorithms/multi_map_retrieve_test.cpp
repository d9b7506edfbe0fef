#include <gtest/gtest.h>

#include "algorithms/expect_table.hpp"
#include "algorithms/multi_map_cases.hpp"

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

INSTANTIATE_TEST_SUITE_P(Tables, MultiMapRetrieve, testing::ValuesIn(MultiMapCases::with_rows()),
                         CaseName());

}  // namespace
}  // namespace hashmill::test
