#include <gtest/gtest.h>

#include "algorithms/support/failing_allocations.hpp"
#include "number_aggregation.hpp"

namespace hashmill::test {
namespace {

TEST(HashAggregation, GivesWhatStdContainersGive) {
  for (const BatchStrategy strategy : every_strategy) {
    for (const auto& [name, keys] : every_shape(5000, 80)) {
      SCOPED_TRACE(name);
      NumberAggregation<> aggregation(strategy);
      for (const std::uint64_t cut : {0, 1, 1000, 5000}) {
        aggregation.add(
            {Numbers(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(cut)), cut});
      }
      ASSERT_NO_FATAL_FAILURE(aggregation.expect_equal());
    }
  }
}

TEST(HashAggregation, NumbersRowsWith64Bits) {
  const auto keys = to_device(std::vector<std::uint32_t>{7, 9, 7, 0, 9, 7});
  for (const BatchStrategy strategy : every_strategy) {
    auto aggregation = hash_aggregation<std::uint64_t>(Exec(), keys, {strategy}, agg::count());
    for (int batch = 0; batch < 2; ++batch) aggregation.add(Exec(), keys, agg::count());
    const auto found = aggregation.results(Exec());
    const auto groups = to_host(std::get<0>(found.keys).values);
    const auto counts = to_host(std::get<0>(found.results).values);
    std::map<std::uint32_t, std::uint64_t> actual;
    for (std::size_t g = 0; g < groups.size(); ++g) actual[groups[g]] = counts[g];
    EXPECT_EQ(actual, (std::map<std::uint32_t, std::uint64_t>{{7, 6}, {9, 4}, {0, 2}}));
  }
}

TEST(HashAggregation, GrowsFromBatchToBatch) {
  for (const BatchStrategy strategy : every_strategy) {
    NumberAggregation<> aggregation(strategy);
    std::uint64_t seed = 90;
    for (const std::uint64_t size : {1, 20, 1, 3000, 40'000, 1, 60'000}) {
      ++seed;
      aggregation.add({random_numbers(size, seed), seed});
      aggregation.add({repeated_numbers(size, 2 * size, seed), seed});
    }
    ASSERT_NO_FATAL_FAILURE(aggregation.expect_equal());
  }
}

/// Half of the rows are one group's, the others have one each, so that they are added row by row.
TEST(HashAggregation, TakesOneHeavyGroupAmongMany) {
  NumberAggregation<> aggregation(BatchStrategy::automatic);
  for (const std::uint64_t seed : {1, 2, 3}) {
    Numbers keys = random_numbers(100'001, seed);
    for (std::uint64_t i = 0; i < keys.size(); i += 2) keys[i] = 7;
    aggregation.add({keys, seed});
  }
  aggregation.expect_equal();
}

TEST(HashAggregation, KeepsMemoryAndNothingElseWhenCleared) {
  NumberAggregation<> aggregation(BatchStrategy::automatic);
  ASSERT_NO_FATAL_FAILURE(aggregation.expect_equal());
  aggregation.add({random_numbers(20'000, 1), 1});
  const std::uint64_t bytes = (*aggregation).bytes();
  EXPECT_GE(bytes, (*aggregation).size() * 60);
  aggregation.clear();
  EXPECT_EQ((*aggregation).size(), 0U);
  EXPECT_EQ((*aggregation).bytes(), bytes);
  ASSERT_NO_FATAL_FAILURE(aggregation.expect_equal());
  aggregation.add({random_numbers(20'000, 2), 2});
  EXPECT_EQ((*aggregation).bytes(), bytes);
  ASSERT_NO_FATAL_FAILURE(aggregation.expect_equal());
}

TEST(HashAggregation, RefusesWhatItCannotAdd) {
  const auto keys = to_device(std::vector<double>{1, 2, 1});
  const auto values = to_device(std::vector<double>{1, 2});
  auto aggregation = hash_aggregation(Exec(), keys, agg::sum(values));
  EXPECT_THROW(aggregation.add(Exec(), keys, agg::sum(values)), InvalidArgument);
  EXPECT_THROW(aggregation.add(Exec(), columns(keys).nans_unequal(), agg::sum(keys)),
               InvalidArgument);
  EXPECT_EQ(aggregation.size(), 0U);
}

/// A batch for which memory is short leaves no trace, wherever it happens.
TEST(HashAggregation, ShortOfMemoryIsAsBefore) {
  for (const BatchStrategy strategy : {BatchStrategy::by_groups, BatchStrategy::by_rows}) {
    std::uint64_t failed = 0;
    for (std::uint64_t k = 0;; ++k) {
      SCOPED_TRACE(k);
      NumberAggregation<> aggregation(strategy);
      aggregation.add({repeated_numbers(900, 100, 1), 1});
      const NumberBatch large(repeated_numbers(5000, 4000, 2), 2);
      bool done = false;
      {
        const FailingAllocations failing(k);
        try {
          aggregation.add(large);
          done = true;
        } catch (const CapacityError&) {
          ++failed;
        }
      }
      ASSERT_NO_FATAL_FAILURE(aggregation.expect_equal());
      if (done) break;
      aggregation.add(large);
      ASSERT_NO_FATAL_FAILURE(aggregation.expect_equal());
    }
    EXPECT_GT(failed, 6U);
  }
}

}  // namespace
}  // namespace hashmill::test
