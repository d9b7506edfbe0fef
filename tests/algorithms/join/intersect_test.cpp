#include <gtest/gtest.h>

#include "algorithms/hash_graph/table.hpp"
#include "algorithms/support/expect_table.hpp"

namespace hashmill::test {
namespace {

class Intersect : public testing::TestWithParam<TableCase> {
 protected:
  static std::unique_ptr<Table> build(const Numbers& keys, std::uint64_t buckets,
                                      std::uint64_t row_base = 0) {
    return GetParam().build(keys, {.buckets = BucketCount(buckets), .row_base = row_base});
  }
  static std::uint64_t size() { return std::min<std::uint64_t>(1501, GetParam().most_keys); }

  static void expect_pairs(const Table& a, const Table& b, const Reference& left,
                           const Reference& right) {
    const auto expected = left.intersect(right);
    ASSERT_EQ(a.intersect_count(b), expected.size());
    if (!GetParam().has_rows) return;
    auto pairs = a.intersect(b);
    std::sort(pairs.begin(), pairs.end());
    ASSERT_EQ(pairs, expected);
  }
};

TEST_P(Intersect, PairsEqualKeys) {
  const Numbers other = repeated_numbers(size() / 3, 400, 61);
  const Reference right(GetParam(), other, 5000);
  for (const std::uint64_t buckets : {1, 200, 1501, 10'000}) {
    const auto b = build(other, buckets, 5000);
    for (const auto& [name, keys] : every_shape(size(), 62)) {
      SCOPED_TRACE(name + " keys, " + std::to_string(buckets) + " buckets");
      const auto a = build(keys, buckets);
      const Reference left(GetParam(), keys);
      ASSERT_NO_FATAL_FAILURE(expect_pairs(*a, *b, left, right));
      ASSERT_NO_FATAL_FAILURE(expect_pairs(*b, *a, right, left));
    }
  }
}

TEST_P(Intersect, WithItselfPairsEveryTwoRowsOfAKey) {
  const Numbers keys = repeated_numbers(500, 50, 63);
  const auto table = build(keys, 64);
  const Reference reference(GetParam(), keys);
  expect_pairs(*table, *table, reference, reference);
}

TEST_P(Intersect, OfEqualKeysIsTheirProduct) {
  const auto a = build(equal_numbers(300, 9), 16), b = build(equal_numbers(257, 9), 16, 300);
  EXPECT_EQ(a->intersect_count(*b), 300U * 257U);
  if (GetParam().has_rows) {
    EXPECT_EQ(a->intersect(*b).size(), 300U * 257U);
  }
}

TEST_P(Intersect, OfDisjointOrEmptyTablesIsEmpty) {
  const auto low = build(sequential_numbers(size()), 512);
  const auto high = build(sequential_numbers(size(), 1'000'000), 512);
  const auto none = build({}, 512);
  for (const auto* a : {low.get(), none.get()}) {
    for (const auto* b : {high.get(), none.get()}) {
      EXPECT_EQ(a->intersect_count(*b), 0U);
      EXPECT_EQ(b->intersect_count(*a), 0U);
      if (!GetParam().has_rows) continue;
      EXPECT_TRUE(a->intersect(*b).empty());
      EXPECT_TRUE(b->intersect(*a).empty());
    }
  }
}

TEST_P(Intersect, SkipsErasedEntriesOfEitherTable) {
  const Numbers keys = repeated_numbers(size(), 200, 64);
  const auto a = build(keys, 128), b = build(keys, 128, 7);
  Reference left(GetParam(), keys), right(GetParam(), keys, 7);
  const Numbers some = sequential_numbers(30), others = sequential_numbers(30, 20);
  a->erase(some);
  left.erase(some);
  ASSERT_NO_FATAL_FAILURE(expect_pairs(*a, *b, left, right));
  ASSERT_NO_FATAL_FAILURE(expect_pairs(*b, *a, right, left));
  b->erase(others);
  right.erase(others);
  ASSERT_NO_FATAL_FAILURE(expect_pairs(*a, *b, left, right));
  a->compact();
  expect_pairs(*a, *b, left, right);
}

INSTANTIATE_TEST_SUITE_P(Tables, Intersect, testing::ValuesIn(table_cases()), CaseName());

}  // namespace
}  // namespace hashmill::test
