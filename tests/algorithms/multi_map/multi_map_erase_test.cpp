#include <gtest/gtest.h>

#include "algorithms/support/expect_table.hpp"
#include "multi_map_cases.hpp"

namespace hashmill::test {
namespace {

class MultiMapErase : public testing::TestWithParam<MultiMapCase> {
 protected:
  struct Pair {
    std::unique_ptr<MultiMapTable> table;
    Reference reference;
  };
  static Pair make(const Numbers& keys) {
    return {GetParam().table(keys), Reference(GetParam(), keys)};
  }
  static std::uint64_t size() { return std::min<std::uint64_t>(3001, GetParam().most_keys); }

  /// Erases from both and expects the same number erased and the same table left.
  static void erase_and_compare(Pair& pair, const Numbers& queries) {
    const Answers before = all_answers(pair.reference);
    ASSERT_EQ(pair.table->erase(queries), pair.reference.erase(queries));
    ASSERT_NO_FATAL_FAILURE(expect_table(GetParam(), *pair.table, pair.reference));
    const Answers after = answers_to(pair.reference, before.queries);
    ASSERT_NO_FATAL_FAILURE(expect_contains(*pair.table, after));
    ASSERT_NO_FATAL_FAILURE(expect_count(*pair.table, after));
    if (GetParam().has_rows) {
      ASSERT_NO_FATAL_FAILURE(expect_find(*pair.table, after));
    }
  }
};

TEST_P(MultiMapErase, RemovesTheKeysAskedForAndNoOthers) {
  for (const double load : sampled(GetParam().loads)) {
    for (const auto& [name, keys] : every_shape(size(), 31)) {
      SCOPED_TRACE(name);
      Pair pair{GetParam().make(keys, load, 0), Reference(GetParam(), keys)};
      Numbers queries;
      for (std::size_t i = 0; i < keys.size(); i += 3) queries.push_back(keys[i]);
      ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, queries));
    }
  }
}

TEST_P(MultiMapErase, CanBeRepeated) {
  const Numbers keys = repeated_numbers(size(), 250, 7);
  Pair pair = make(keys);
  for (std::uint64_t first = 0; first < 250; first += 50) {
    const Numbers queries = sequential_numbers(60, first);  // 10 of them again in the next round
    ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, queries));
    EXPECT_EQ(pair.table->erase(queries), 0U);
  }
}

TEST_P(MultiMapErase, CountsEntriesOfRepeatedQueriesOnce) {
  const Numbers keys = repeated_numbers(size(), 40, 8);
  Pair pair = make(keys);
  Numbers queries = equal_numbers(2000, 5);
  queries.insert(queries.end(), 2000, 6);
  for (std::uint64_t i = 0; i < 2000; ++i) queries.push_back(5 + i % 2);
  erase_and_compare(pair, queries);
}

TEST_P(MultiMapErase, IgnoresAbsentKeysAndNoKeys) {
  Pair pair = make(sequential_numbers(size()));
  ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, {}));
  ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, sequential_numbers(1000, 1'000'000)));
  EXPECT_EQ(pair.table->size(), size());
}

TEST_P(MultiMapErase, EmptiesATable) {
  const Numbers keys = random_numbers(size(), 9);
  Pair pair = make(keys);
  ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, keys));
  EXPECT_EQ(pair.table->size(), 0U);
  ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, keys));
  EXPECT_EQ(pair.table->size(), 0U);
}

TEST_P(MultiMapErase, OfAnEmptyTableErasesNothing) {
  Pair pair = make({});
  erase_and_compare(pair, sequential_numbers(10));
}

INSTANTIATE_TEST_SUITE_P(Tables, MultiMapErase, testing::ValuesIn(MultiMapCases::all()),
                         CaseName());

}  // namespace
}  // namespace hashmill::test
