#include <gtest/gtest.h>

#include <numeric>

#include "algorithms/support/expect_table.hpp"
#include "table.hpp"

namespace hashmill::test {
namespace {

class HashGraphStatisticsOf : public testing::TestWithParam<TableCase> {
 protected:
  /// Expects the statistics that follow from every bucket's length.
  static void expect_statistics(const Table& table, const Reference& reference) {
    const auto lengths = reference.bucket_lengths(GetParam(), table.num_buckets());
    const auto found = table.statistics();
    EXPECT_EQ(found.num_entries, reference.size());
    EXPECT_EQ(found.num_buckets, lengths.size());
    EXPECT_EQ(found.bytes, table.bytes());
    EXPECT_EQ(found.longest_bucket, *std::max_element(lengths.begin(), lengths.end()));
    EXPECT_EQ(found.empty_buckets,
              static_cast<std::uint64_t>(std::count(lengths.begin(), lengths.end(), 0U)));
    ASSERT_GE(found.bucket_length_histogram.size(), 2U);
    std::vector<std::uint64_t> histogram(found.bucket_length_histogram.size());
    for (const std::uint64_t length : lengths) {
      ++histogram[std::min<std::uint64_t>(length, histogram.size() - 1)];
    }
    EXPECT_EQ(found.bucket_length_histogram, histogram);
  }
};

TEST_P(HashGraphStatisticsOf, AgreeWithEveryBucketsLength) {
  for (const std::uint64_t buckets : {1, 2, 100, 4095, 4096, 4097, 20'000}) {
    for (const auto& [name, keys] : every_shape(1000, 51)) {
      SCOPED_TRACE(name + " keys, " + std::to_string(buckets) + " buckets");
      const auto table = GetParam().build(keys, {.buckets = BucketCount(buckets)});
      ASSERT_NO_FATAL_FAILURE(expect_statistics(*table, Reference(GetParam(), keys)));
    }
  }
}

TEST_P(HashGraphStatisticsOf, LeaveErasedEntriesOut) {
  const Numbers keys = repeated_numbers(1000, 300, 52);
  const auto table = GetParam().build(keys, {});
  Reference reference(GetParam(), keys);
  const Numbers erased = sequential_numbers(200);
  table->erase(erased);
  reference.erase(erased);
  ASSERT_NO_FATAL_FAILURE(expect_statistics(*table, reference));
  table->compact();
  expect_statistics(*table, reference);
}

TEST_P(HashGraphStatisticsOf, OfAnEmptyTable) {
  const auto table = GetParam().build({}, {});
  const auto found = table->statistics();
  EXPECT_EQ(found.num_entries, 0U);
  EXPECT_EQ(found.longest_bucket, 0U);
  EXPECT_EQ(found.num_buckets, 1U);
  EXPECT_EQ(found.empty_buckets, 1U);
}

TEST_P(HashGraphStatisticsOf, HashRangeFollowsFromTheRowsPerBucket) {
  for (const double average : {0.25, 1.0, 3.0, 16.0}) {
    const auto table =
        GetParam().build(random_numbers(100, 1), {.rows_per_bucket = RowsPerBucket(average)});
    EXPECT_EQ(table->num_buckets(), static_cast<std::uint64_t>(std::ceil(100 / average)));
  }
}

TEST_P(HashGraphStatisticsOf, BytesAreThoseOfEntriesAndOffsets) {
  const auto table = GetParam().build(random_numbers(1000, 1), {.buckets = BucketCount(77)});
  EXPECT_EQ(table->bytes(), 1000 * GetParam().entry_bytes + 78 * GetParam().index_bytes);
}

INSTANTIATE_TEST_SUITE_P(Tables, HashGraphStatisticsOf, testing::ValuesIn(table_cases()),
                         CaseName());

}  // namespace
}  // namespace hashmill::test
