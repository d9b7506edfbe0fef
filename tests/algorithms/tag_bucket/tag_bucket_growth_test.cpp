#include <gtest/gtest.h>

#include "algorithms/support/hashes.hpp"
#include "sampled_types.hpp"
#include "tag_bucket_table.hpp"

namespace hashmill::test {
namespace {

template <class Table>
class TagBucketGrowth : public testing::Test {
 protected:
  /// Buckets after doubling one bucket until `keys` keys take at most 7 of 8 slots.
  static std::uint64_t buckets_for(std::uint64_t keys) {
    std::uint64_t buckets = 1;
    while (14 * buckets < keys) buckets *= 2;
    return buckets;
  }
  static Reference reference_of(const Numbers& keys) {
    return Reference(Table::table_case(), keys);
  }
  static void expect_grown(const Table& table, const Reference& reference) {
    const std::uint64_t keys = reference.distinct().size();
    EXPECT_EQ(table.owner().num_keys(), keys);
    EXPECT_EQ(table.owner().num_buckets(), buckets_for(keys));
    expect_table(Table::table_case(), table, reference);
  }
};

using Tables = SampledTypes<TagBucketTable<std::uint32_t, std::uint32_t, Murmur3Hash>,
                            TagBucketTable<std::uint64_t, std::uint64_t, FourBitHash>,
                            TagBucketTable<std::uint32_t, std::uint32_t, ConstantHash>>;
TYPED_TEST_SUITE(TagBucketGrowth, Tables);

const TagBucketOptions one_bucket{.buckets = BucketCount(1), .initial_rows = 0};

TYPED_TEST(TagBucketGrowth, NoRowsAndEqualRowsNeverGrowATable) {
  for (const std::uint64_t rows : sampled<std::uint64_t>({0, 1, 14, 15, 16, 17, 1500})) {
    const Numbers keys = equal_numbers(rows, 7);
    TypeParam table(keys, one_bucket);
    EXPECT_EQ(table.insert(0, rows), (InsertResult{.inserted = rows}));
    this->expect_grown(table, this->reference_of(keys));
    EXPECT_EQ(table.owner().num_buckets(), 1U);
  }
}

TYPED_TEST(TagBucketGrowth, ABatchEndsAtTheSizeOfRowsInsertedOneByOne) {
  for (const std::uint64_t rows : sampled<std::uint64_t>({13, 14, 15, 28, 29, 113, 300})) {
    const Numbers keys = sequential_numbers(rows);
    TypeParam at_once(keys, one_bucket), one_by_one(keys, one_bucket);
    at_once.insert(0, rows);
    for (std::uint64_t i = 0; i < rows; ++i) one_by_one.insert(i, 1);
    this->expect_grown(at_once, this->reference_of(keys));
    EXPECT_EQ(at_once.owner().num_buckets(), one_by_one.owner().num_buckets()) << rows;
  }
}

TYPED_TEST(TagBucketGrowth, EveryShapeGrowsForItsDifferentKeysOnly) {
  for (const auto& [name, keys] : every_shape(3000, 31)) {
    SCOPED_TRACE(name);
    TypeParam table(keys, one_bucket);
    EXPECT_EQ(table.insert(0, keys.size()).inserted, keys.size());
    this->expect_grown(table, this->reference_of(keys));
  }
}

/// 140 keys fill ten buckets up to the limit, whatever the order of their rows.
TYPED_TEST(TagBucketGrowth, KeysThatJustFitDoNotGrowATable) {
  const std::uint64_t rows = 140 * 30;
  Numbers sorted(rows), periodic(rows);
  for (std::uint64_t i = 0; i < rows; ++i) {
    sorted[i] = i / 30;
    periodic[i] = i % 140;
  }
  for (const Numbers& keys : {sorted, periodic, repeated_numbers(rows, 140, 5)}) {
    for (const std::uint64_t before : sampled<std::uint64_t>({0, 1, 139, 4000})) {
      TypeParam table(keys, {.buckets = BucketCount(10), .initial_rows = before});
      EXPECT_EQ(table.insert(before, rows - before).inserted, rows - before);
      EXPECT_EQ(table.owner().num_buckets(), 10U);
      EXPECT_EQ(table.owner().num_keys(), 140U);
      expect_table(TypeParam::table_case(), table, this->reference_of(keys));
    }
  }
}

TYPED_TEST(TagBucketGrowth, OneKeyMoreDoublesATableOnce) {
  Numbers keys = repeated_numbers(4200, 140, 6);
  keys[2000] = 140;
  TypeParam table(keys, {.buckets = BucketCount(10), .initial_rows = 0});
  table.insert(0, keys.size());
  EXPECT_EQ(table.owner().num_buckets(), 20U);
  expect_table(TypeParam::table_case(), table, this->reference_of(keys));
}

TEST(TagBucketGrowthLarge, LookUpsComeBeforeGrowth) {
  using Table = TagBucketTable<std::uint64_t, std::uint32_t, Murmur3Hash>;
  for (const std::uint64_t distinct : {1000, 57'344, 70'000}) {  // 14 * 2^12 just fit
    const Numbers keys = repeated_numbers(400'000, distinct, 8);
    const Reference reference(Table::table_case(), keys);
    const std::uint64_t found = reference.distinct().size();
    Table table(keys, one_bucket);
    EXPECT_EQ(table.insert(0, keys.size()).inserted, keys.size());
    EXPECT_EQ(table.owner().num_keys(), found);
    std::uint64_t buckets = 1;
    while (14 * buckets < found) buckets *= 2;
    EXPECT_EQ(table.owner().num_buckets(), buckets);
    expect_table(Table::table_case(), table, reference);
  }
}

}  // namespace
}  // namespace hashmill::test
