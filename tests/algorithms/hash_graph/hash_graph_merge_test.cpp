#include <gtest/gtest.h>

#include "algorithms/support/expect_table.hpp"
#include "table.hpp"

namespace hashmill::test {
namespace {

class HashGraphMerge : public testing::TestWithParam<TableCase> {
 protected:
  static std::unique_ptr<Table> build(const Numbers& keys, std::uint64_t buckets,
                                      std::uint64_t row_base) {
    return GetParam().build(keys, {.buckets = BucketCount(buckets), .row_base = row_base});
  }
  static std::uint64_t size() { return std::min<std::uint64_t>(2001, GetParam().most_keys); }
};

TEST_P(HashGraphMerge, HoldsTheEntriesOfBoth) {
  for (const std::uint64_t buckets : {1, 100, 2001, 10'000}) {
    for (const auto& [name, keys] : every_shape(size(), 41)) {
      SCOPED_TRACE(name + " keys, " + std::to_string(buckets) + " buckets");
      const Numbers more = repeated_numbers(size() / 2, 500, 42);
      const auto a = build(keys, buckets, 0);
      const auto b = build(more, buckets, keys.size());
      Reference reference(GetParam(), keys);
      reference.merge(Reference(GetParam(), more, keys.size()));
      ASSERT_NO_FATAL_FAILURE(expect_table(GetParam(), *a->merge(*b), reference));
      ASSERT_NO_FATAL_FAILURE(expect_table(GetParam(), *b->merge(*a), reference));
      ASSERT_NO_FATAL_FAILURE(expect_table(GetParam(), *a, Reference(GetParam(), keys)));
    }
  }
}

TEST_P(HashGraphMerge, TakesEmptyTables) {
  const Numbers keys = random_numbers(size(), 43);
  const auto some = build(keys, 256, 0);
  const auto none = build({}, 256, 0);
  const Reference reference(GetParam(), keys);
  expect_table(GetParam(), *some->merge(*none), reference);
  expect_table(GetParam(), *none->merge(*some), reference);
  expect_table(GetParam(), *none->merge(*none), Reference(GetParam(), {}));
}

TEST_P(HashGraphMerge, SkipsErasedEntries) {
  const Numbers keys = repeated_numbers(size(), 300, 44);
  const auto a = build(keys, 512, 0);
  const auto b = build(keys, 512, keys.size());
  Reference left(GetParam(), keys), right(GetParam(), keys, keys.size());
  const Numbers odd = {1, 3, 5, 7, 9}, even = {0, 2, 4, 6, 8};
  EXPECT_EQ(a->erase(odd), left.erase(odd));
  EXPECT_EQ(b->erase(even), right.erase(even));
  left.merge(right);
  auto merged = a->merge(*b);
  ASSERT_NO_FATAL_FAILURE(expect_table(GetParam(), *merged, left));
  EXPECT_EQ(merged->bytes(), 513 * GetParam().index_bytes + left.size() * GetParam().entry_bytes);
  EXPECT_EQ(merged->erase(odd), left.erase(odd));
  expect_table(GetParam(), *merged, left);
}

TEST_P(HashGraphMerge, InsertsBatchAfterBatch) {
  auto table = build({}, 300, 0);
  Reference reference(GetParam(), {});
  for (std::uint64_t batch = 0; batch < 5; ++batch) {
    const Numbers keys = repeated_numbers(100, 37, batch);
    table = table->merge(*build(keys, 300, 100 * batch));
    reference.merge(Reference(GetParam(), keys, 100 * batch));
    ASSERT_NO_FATAL_FAILURE(expect_table(GetParam(), *table, reference));
  }
}

std::vector<TableCase> cases_that_store_keys() {
  std::vector<TableCase> cases;
  for (auto& table_case : table_cases()) {
    if (table_case.stores_keys) cases.push_back(table_case);
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Tables, HashGraphMerge, testing::ValuesIn(cases_that_store_keys()),
                         CaseName());

}  // namespace
}  // namespace hashmill::test
