#include <gtest/gtest.h>

#include <array>
#include <hashmill/hashmill.hpp>
#include <set>

#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/keys.hpp"
#include "batch_groups.hpp"

namespace hashmill::test {
namespace {

constexpr BatchStrategy every_strategy[] = {BatchStrategy::automatic, BatchStrategy::by_groups,
                                            BatchStrategy::by_rows};

struct ConstantRowHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key&) const {
    return 0x9e3779b97f4a7c15;
  }
};
struct FourBitRowHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return RowHash()(key) << 60;
  }
};

/// An aggregation of integer keys beside its reference.
template <RowNumber RowType = std::uint32_t, class Hash = RowHash>
class NumberAggregation {
 public:
  explicit NumberAggregation(BatchStrategy strategy) : aggregation_(make(strategy)) {}

  void add(const NumberBatch& batch) {
    with_summary(batch.values, [&](const auto&... asked) {
      aggregation_.add(Exec(), batch.device_keys, asked...);
    });
    expected_.add(batch.keys, batch.values);
  }
  void expect_equal() const {
    const auto found = aggregation_.results(Exec());
    ASSERT_EQ(found.size(), aggregation_.size());
    expect_summaries(to_host(std::get<0>(found.keys).values), host_summaries(found.results),
                     expected_);
  }
  void clear() {
    aggregation_.clear(Exec());
    expected_ = {};
  }
  auto& operator*() { return aggregation_; }

 private:
  static auto make(BatchStrategy strategy) {
    const NumberBatch none({}, 0);
    return with_summary(none.values, [&](const auto&... asked) {
      return hash_aggregation<RowType, Hash>(Exec(), none.device_keys,
                                             HashAggregationOptions{strategy}, asked...);
    });
  }
  decltype(make(BatchStrategy::automatic)) aggregation_;
  ExpectedSummaries<std::uint32_t> expected_;
};

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

TEST(HashAggregation, KeepsFirstValuesAndVariancesOverBatches) {
  const Values none(0, 0);
  const auto aggregated = [](const Values& values, const auto& call) {
    return call(agg::first(values.nullable()), agg::first(values.device_doubles),
                agg::variance(values.device_doubles), agg::variance(values.nullable(), 0));
  };
  const Kokkos::View<std::uint32_t*, Memory> no_keys("hashmill::test::keys", 0);
  auto aggregation = aggregated(
      none, [&](const auto&... asked) { return hash_aggregation(Exec(), no_keys, asked...); });
  struct Rows {
    std::vector<double> doubles;
    std::vector<std::int32_t> present;
  };
  std::map<std::uint32_t, Rows> expected;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const NumberBatch batch(zipf_numbers(seed * 700, seed), seed);
    aggregated(batch.values,
               [&](const auto&... asked) { aggregation.add(Exec(), batch.device_keys, asked...); });
    for (std::size_t i = 0; i < batch.keys.size(); ++i) {
      Rows& rows = expected[batch.keys[i]];
      rows.doubles.push_back(batch.values.doubles[i]);
      if (batch.values.valid[i]) rows.present.push_back(batch.values.ints[i]);
    }
  }
  const auto variance_of = [](const auto& values, double lost) {
    double sum = 0, squares = 0;
    for (const auto value : values) sum += static_cast<double>(value);
    const auto count = static_cast<double>(values.size());
    for (const auto value : values) squares += std::pow(double(value) - sum / count, 2);
    return squares / (count - lost);
  };
  const auto found = aggregation.results(Exec());
  const auto keys = to_host(std::get<0>(found.keys).values);
  const auto firsts = host_results(std::get<0>(found.results));
  const auto first_doubles = to_host(std::get<1>(found.results).values);
  const auto samples = host_results(std::get<2>(found.results));
  const auto populations = host_results(std::get<3>(found.results));
  ASSERT_EQ(keys.size(), expected.size());
  EXPECT_EQ(std::get<1>(found.results).valid_bits.extent(0), 0U);
  for (std::size_t g = 0; g < keys.size(); ++g) {
    SCOPED_TRACE(keys[g]);
    const auto& [doubles, present] = expected.at(keys[g]);
    ASSERT_EQ(first_doubles[g], doubles.front());
    ASSERT_EQ(firsts[g].has_value(), !present.empty());
    ASSERT_EQ(samples[g].has_value(), doubles.size() > 1);
    ASSERT_EQ(populations[g].has_value(), !present.empty());
    if (samples[g]) {
      ASSERT_NEAR(*samples[g], variance_of(doubles, 1), 1e-7 * (1 + *samples[g]));
    }
    if (present.empty()) continue;
    ASSERT_EQ(*firsts[g], present.front());
    ASSERT_NEAR(*populations[g], variance_of(present, 0), 1e-9 * (1 + *populations[g]));
  }
}

TEST(HashAggregation, TakesViewsWhereItBeganWithColumns) {
  const auto keys = to_device(std::vector<std::uint32_t>{1, 2, 1});
  const auto values = to_device(std::vector<float>{1, 2, 3});
  const auto bits = to_device(std::vector<std::uint8_t>{0b101});
  const auto nullable = column(values, validity(bits, 3));
  auto aggregation = hash_aggregation(Exec(), columns(keys), agg::sum(nullable));
  aggregation.add(Exec(), keys, agg::sum(nullable));
  EXPECT_EQ(host_results(std::get<0>(aggregation.results(Exec()).results))[1], std::nullopt);
  aggregation.add(Exec(), keys, agg::sum(values));
  const auto sums = host_results(std::get<0>(aggregation.results(Exec()).results));
  EXPECT_EQ(sums, (std::vector<std::optional<double>>{8, 2}));
}

TEST(HashAggregation, TakesAColumnWithNullsAsKeys) {
  const auto values = to_device(std::vector<std::int16_t>{1, 2, 1, 2, 1});
  const auto bits = to_device(std::vector<std::uint8_t>{0b10011});
  const auto keys = column(values, validity(bits, 5));
  for (const BatchStrategy strategy : every_strategy) {
    auto aggregation =
        hash_aggregation(Exec(), keys, HashAggregationOptions{strategy}, agg::count());
    aggregation.add(Exec(), keys, agg::count());
    aggregation.add(Exec(), values, agg::count());
    const auto found = aggregation.results(Exec());
    const auto host_keys = host_results(std::get<0>(found.keys));
    const auto counts = to_host(std::get<0>(found.results).values);
    std::map<std::optional<std::int16_t>, std::uint64_t> groups;
    for (std::size_t g = 0; g < host_keys.size(); ++g) groups[host_keys[g]] = counts[g];
    EXPECT_EQ(groups, (std::map<std::optional<std::int16_t>, std::uint64_t>{
                          {std::nullopt, 2}, {1, 5}, {2, 3}}));
  }
}

TEST(HashAggregation, FindsGroups) {
  auto aggregation = hash_aggregation(Exec(), Kokkos::View<int*, Memory>(), agg::count());
  const auto queries = to_device(std::vector<int>{3, 4, 5});
  const Kokkos::View<std::uint32_t*, Memory> found("hashmill::test::found", 3);
  aggregation.find(Exec(), queries, found);
  const std::uint64_t none = ~std::uint64_t{0};
  EXPECT_EQ(to_wide_host(found), (Numbers{none, none, none}));
  aggregation.add(Exec(), to_device(std::vector<int>{5}), agg::count());
  aggregation.add(Exec(), to_device(std::vector<int>{5, 3}), agg::count());
  aggregation.find(Exec(), queries, found);
  EXPECT_EQ(to_wide_host(found), (Numbers{1, none, 0}));
  const Kokkos::View<std::uint32_t*, Memory> few("hashmill::test::found", 2);
  EXPECT_THROW(aggregation.find(Exec(), queries, few), InvalidArgument);
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

TEST(DistinctCounts, CountDifferentValuesOverBatches) {
  const RowBatch none(0, 1);
  const auto city = none.columns.city();
  auto groups = hash_aggregation(Exec(), columns(none.columns.street()), agg::count());
  auto cities = distinct_counts(Exec(), city);
  auto streets = distinct_counts(Exec(), none.columns.street());
  auto heights = distinct_counts(Exec(), none.columns.height());
  std::map<std::optional<std::string>, std::array<std::set<std::optional<double>>, 2>> expected;
  for (const std::uint64_t size : {0, 1, 40, 6000}) {
    const RowBatch batch(size, size);
    const auto keys = columns(batch.columns.street());
    groups.add(Exec(), keys, agg::count());
    cities.add(Exec(), groups, keys, batch.columns.city());
    streets.add(Exec(), groups, keys, batch.columns.street());
    heights.add(Exec(), groups, keys, batch.columns.height());
    for (const Row& row : batch.rows) {
      auto& [of_city, of_height] = expected[row.street];
      if (row.city) of_city.insert(static_cast<double>(*row.city));
      if (row.height) of_height.insert(std::isnan(*row.height) ? 99 : *row.height + 0.0);
    }
  }
  const auto city_counts = to_host(cities.results(Exec(), groups.size()));
  const auto street_counts = to_host(streets.results(Exec(), groups.size()));
  const auto height_counts = to_host(heights.results(Exec(), groups.size()));
  ASSERT_EQ(groups.size(), expected.size());
  std::multiset<std::array<std::uint64_t, 3>> actual, wanted;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    actual.insert({city_counts[g], street_counts[g], height_counts[g]});
  }
  for (const auto& [street, sets] : expected) {
    wanted.insert({sets[0].size(), street.has_value() ? 1U : 0U, sets[1].size()});
  }
  EXPECT_EQ(actual, wanted);
  // Keys that are in no group count nowhere.
  groups.clear(Exec());
  cities.clear(Exec());
  const RowBatch batch(100, 3);
  cities.add(Exec(), groups, columns(batch.columns.street()), batch.columns.city());
  EXPECT_EQ(to_host(cities.results(Exec(), 2)), (std::vector<std::uint64_t>{0, 0}));
  EXPECT_GT(cities.bytes(), 0U);
  EXPECT_THROW(cities.add(Exec(), groups, columns(batch.columns.street()), none.columns.city()),
               InvalidArgument);
}

}  // namespace
}  // namespace hashmill::test
