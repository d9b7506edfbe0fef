#include <gtest/gtest.h>

#include "algorithms/expect_table.hpp"

namespace hashmill::test {
namespace {

class HashGraphErase : public testing::TestWithParam<TableCase> {
 protected:
  struct Pair {
    std::unique_ptr<Table> table;
    Reference reference;
  };
  static Pair make(const Numbers& keys, double load = 1) {
    return {GetParam().build(keys, {.load_factor = LoadFactor(load)}), Reference(GetParam(), keys)};
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

TEST_P(HashGraphErase, RemovesTheKeysAskedForAndNoOthers) {
  for (const double load : sampled<double>({0.25, 1.0, 16.0})) {
    for (const auto& [name, keys] : every_shape(size(), 31)) {
      SCOPED_TRACE(name);
      Pair pair = make(keys, load);
      Numbers queries;
      for (std::size_t i = 0; i < keys.size(); i += 3) queries.push_back(keys[i]);
      ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, queries));
    }
  }
}

TEST_P(HashGraphErase, CanBeRepeated) {
  const Numbers keys = repeated_numbers(size(), 250, 7);
  Pair pair = make(keys);
  for (std::uint64_t first = 0; first < 250; first += 50) {
    const Numbers queries = sequential_numbers(60, first);  // 10 of them again in the next round
    ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, queries));
    EXPECT_EQ(pair.table->erase(queries), 0U);
  }
}

TEST_P(HashGraphErase, CountsEntriesOfRepeatedQueriesOnce) {
  const Numbers keys = repeated_numbers(size(), 40, 8);
  Pair pair = make(keys);
  Numbers queries = equal_numbers(2000, 5);
  queries.insert(queries.end(), 2000, 6);
  for (std::uint64_t i = 0; i < 2000; ++i) queries.push_back(5 + i % 2);
  erase_and_compare(pair, queries);
}

TEST_P(HashGraphErase, IgnoresAbsentKeysAndNoKeys) {
  Pair pair = make(sequential_numbers(size()));
  ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, {}));
  ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, sequential_numbers(1000, 1'000'000)));
  EXPECT_EQ(pair.table->size(), size());
}

TEST_P(HashGraphErase, EmptiesATable) {
  const Numbers keys = random_numbers(size(), 9);
  Pair pair = make(keys);
  ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, keys));
  EXPECT_EQ(pair.table->size(), 0U);
  const auto statistics = pair.table->statistics();
  EXPECT_EQ(statistics.empty_buckets, pair.table->num_buckets());
  pair.table->compact();
  ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, keys));
  EXPECT_EQ(pair.table->size(), 0U);
}

TEST_P(HashGraphErase, OfAnEmptyTableErasesNothing) {
  Pair pair = make({});
  erase_and_compare(pair, sequential_numbers(10));
}

TEST_P(HashGraphErase, CompactReturnsTheMemoryAndKeepsTheEntries) {
  const Numbers keys = repeated_numbers(size(), 150, 10);
  Pair pair = make(keys);
  const std::uint64_t offsets_bytes = (pair.table->num_buckets() + 1) * GetParam().index_bytes;
  const std::uint64_t full = pair.table->bytes();
  EXPECT_EQ(full, offsets_bytes + keys.size() * GetParam().entry_bytes);
  pair.table->compact();  // nothing to do
  EXPECT_EQ(pair.table->bytes(), full);
  ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, sequential_numbers(100)));
  EXPECT_EQ(pair.table->bytes(), full + pair.table->num_buckets() * GetParam().index_bytes);
  pair.table->compact();
  EXPECT_EQ(pair.table->bytes(), offsets_bytes + pair.reference.size() * GetParam().entry_bytes);
  ASSERT_NO_FATAL_FAILURE(expect_table(GetParam(), *pair.table, pair.reference));
  ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, sequential_numbers(20, 95)));
  ASSERT_NO_FATAL_FAILURE(erase_and_compare(pair, sequential_numbers(1000)));
}

INSTANTIATE_TEST_SUITE_P(Tables, HashGraphErase, testing::ValuesIn(table_cases()), CaseName());

}  // namespace
}  // namespace hashmill::test
