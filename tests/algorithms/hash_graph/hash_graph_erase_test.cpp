#include <gtest/gtest.h>

#include "algorithms/support/expect_table.hpp"
#include "table.hpp"

namespace hashmill::test {
namespace {

/// What erasing does to a HashGraph alone; see multi_map_erase_test.cpp for what all tables do.
class HashGraphErase : public testing::TestWithParam<TableCase> {
 protected:
  struct Pair {
    std::unique_ptr<Table> table;
    Reference reference;
  };
  static Pair make(const Numbers& keys) {
    return {GetParam().build(keys, {}), Reference(GetParam(), keys)};
  }
  static std::uint64_t size() { return std::min<std::uint64_t>(3001, GetParam().most_keys); }

  /// Erases from both and expects the same number erased and the same table left.
  static void erase_and_compare(Pair& pair, const Numbers& queries) {
    ASSERT_EQ(pair.table->erase(queries), pair.reference.erase(queries));
    ASSERT_NO_FATAL_FAILURE(expect_table(GetParam(), *pair.table, pair.reference));
  }
};

TEST_P(HashGraphErase, ThatEmptiesATableShowsInItsStatistics) {
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
