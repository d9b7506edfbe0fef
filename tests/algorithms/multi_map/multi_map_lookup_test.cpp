#include <gtest/gtest.h>

#include "algorithms/support/expect_table.hpp"
#include "multi_map_cases.hpp"

namespace hashmill::test {
namespace {

class MultiMapLookup : public testing::TestWithParam<MultiMapCase> {
 protected:
  static std::vector<NamedNumbers> inputs() {
    std::vector<NamedNumbers> inputs = every_shape(std::min<std::uint64_t>(2001, most()), 17);
    for (const std::uint64_t size : {0, 1, 2}) {
      inputs.push_back({std::to_string(size) + " keys", random_numbers(size, size)});
    }
    return inputs;
  }
  static std::uint64_t most() { return GetParam().most_keys; }

  template <class Check>
  static void for_every_input(const Check& check) {
    for (const auto& [name, keys] : inputs()) {
      SCOPED_TRACE(name);
      const Answers answers = all_answers(Reference(GetParam(), keys), 300);
      for (const double load : GetParam().loads) {
        const auto table = GetParam().make(keys, load, 0);
        ASSERT_NO_FATAL_FAILURE(check(*table, answers));
      }
    }
  }
};

TEST_P(MultiMapLookup, ContainsTellsWhichKeysAreThere) { for_every_input(expect_contains); }

TEST_P(MultiMapLookup, CountTellsHowOftenKeysAreThere) { for_every_input(expect_count); }

TEST_P(MultiMapLookup, FindTellsARowOrNone) {
  if (GetParam().has_rows) for_every_input(expect_find);
}

TEST_P(MultiMapLookup, TakesNoQueries) {
  const auto table = GetParam().table(random_numbers(100, 1));
  EXPECT_TRUE(table->contains({}).empty());
  EXPECT_TRUE(table->count({}).empty());
  if (GetParam().has_rows) {
    EXPECT_TRUE(table->find({}).empty());
  }
}

TEST_P(MultiMapLookup, AnswersManyQueriesOfOneKey) {
  const auto table = GetParam().table(sequential_numbers(200));
  const Numbers queries = equal_numbers(5001, 77);
  EXPECT_EQ(table->contains(queries), std::vector<bool>(queries.size(), true));
  EXPECT_EQ(table->count(queries), Numbers(queries.size(), 1));
  if (GetParam().has_rows) {
    EXPECT_EQ(table->find(queries), equal_numbers(queries.size(), 77));
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, MultiMapLookup, testing::ValuesIn(MultiMapCases::all()),
                         CaseName());

}  // namespace
}  // namespace hashmill::test
