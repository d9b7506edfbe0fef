#include <gtest/gtest.h>

#include "algorithms/expect_table.hpp"

namespace hashmill::test {
namespace {

class HashGraphLookup : public testing::TestWithParam<TableCase> {
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
      for (const double load : {0.25, 1.0, 16.0}) {
        const auto table = GetParam().build(keys, {.load_factor = LoadFactor(load)});
        ASSERT_NO_FATAL_FAILURE(check(*table, answers));
      }
    }
  }
};

TEST_P(HashGraphLookup, ContainsTellsWhichKeysAreThere) { for_every_input(expect_contains); }

TEST_P(HashGraphLookup, CountTellsHowOftenKeysAreThere) { for_every_input(expect_count); }

TEST_P(HashGraphLookup, FindTellsARowOrNone) {
  if (GetParam().has_rows) for_every_input(expect_find);
}

TEST_P(HashGraphLookup, TakesNoQueries) {
  const auto table = GetParam().build(random_numbers(100, 1), {});
  EXPECT_TRUE(table->contains({}).empty());
  EXPECT_TRUE(table->count({}).empty());
  if (GetParam().has_rows) {
    EXPECT_TRUE(table->find({}).empty());
  }
}

TEST_P(HashGraphLookup, AnswersManyQueriesOfOneKey) {
  const auto table = GetParam().build(sequential_numbers(200), {});
  const Numbers queries = equal_numbers(5001, 77);
  EXPECT_EQ(table->contains(queries), std::vector<bool>(queries.size(), true));
  EXPECT_EQ(table->count(queries), Numbers(queries.size(), 1));
  if (GetParam().has_rows) {
    EXPECT_EQ(table->find(queries), equal_numbers(queries.size(), 77));
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, HashGraphLookup, testing::ValuesIn(table_cases()), CaseName());

}  // namespace
}  // namespace hashmill::test
