#include <gtest/gtest.h>

#include <array>
#include <set>

#include "number_aggregation.hpp"

namespace hashmill::test {
namespace {

TEST(HashAggregation, GroupsStringsNullsAndNansOfBatchesOfAnySize) {
  for (const BatchStrategy strategy : every_strategy) {
    SCOPED_TRACE(static_cast<int>(strategy));
    const RowBatch none(0, 1);
    auto aggregation = with_summary(none.values, [&](const auto&... asked) {
      return hash_aggregation<std::uint32_t, FourBitRowHash>(
          Exec(), none.columns.keys(), HashAggregationOptions{strategy}, asked...);
    });
    ExpectedSummaries<GroupKey> expected;
    std::uint64_t seed = 70;
    for (const std::uint64_t size : {0, 1, 7, 0, 300, 5000, 1, 6000}) {
      const RowBatch batch(size, ++seed);
      with_summary(batch.values, [&](const auto&... asked) {
        aggregation.add(Exec(), batch.columns.keys(), asked...);
      });
      expected.add(group_keys_of(batch.rows), batch.values);
    }
    const auto found = aggregation.results(Exec());
    ASSERT_NO_FATAL_FAILURE(
        expect_summaries(host_row_keys(found.keys), host_summaries(found.results), expected));
  }
}

template <class Hash>
class HashAggregationHashes : public testing::Test {};
using RowHashes = testing::Types<RowHash, ConstantRowHash>;
TYPED_TEST_SUITE(HashAggregationHashes, RowHashes);

TYPED_TEST(HashAggregationHashes, GroupsIntegers) {
  for (const BatchStrategy strategy : every_strategy) {
    NumberAggregation<std::uint32_t, TypeParam> aggregation(strategy);
    for (const std::uint64_t seed : {1, 2, 3}) {
      aggregation.add({repeated_numbers(5000, 300 * seed, seed), seed});
    }
    ASSERT_NO_FATAL_FAILURE(aggregation.expect_equal());
  }
}

}  // namespace
}  // namespace hashmill::test
