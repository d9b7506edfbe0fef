#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "algorithms/support/failing_allocations.hpp"
#include "firsts_and_variances.hpp"
#include "number_aggregation.hpp"

namespace hashmill::test {
namespace {

// Aggregations that are merged have what one has to which all their batches were added.

/// How the groups of an aggregation come to another one.
struct ByMerging {
  template <class Aggregation>
  static void add(Aggregation& to, const Aggregation& from) {
    to.merge(Exec(), from);
  }
};
struct ByPartials {
  template <class Aggregation>
  static void add(Aggregation& to, const Aggregation& from) {
    const auto groups = from.export_partials(Exec());
    ASSERT_EQ(groups.size(), from.size());
    to.add_partials(Exec(), groups.key_columns(), groups.states);
  }
};
template <class Way>
class HashAggregationPartials : public testing::Test {};
using Ways = testing::Types<ByMerging, ByPartials>;
TYPED_TEST_SUITE(HashAggregationPartials, Ways);

TYPED_TEST(HashAggregationPartials, AreThoseOfAllBatches) {
  for (const BatchStrategy strategy : every_strategy) {
    for (const auto& [name, keys] : every_shape(3000, 7)) {
      SCOPED_TRACE(name);
      NumberAggregation<> all(strategy);
      NumberAggregation<> parts[] = {NumberAggregation<>(strategy), NumberAggregation<>(strategy),
                                     NumberAggregation<>(strategy)};
      for (std::uint64_t p = 0; p < 3; ++p) {
        const auto end = keys.begin() + static_cast<std::ptrdiff_t>(1000 * p);
        parts[p].add({Numbers(keys.begin(), end), p});
        all.expect_also({Numbers(keys.begin(), end), p});
        TypeParam::add(*all, *parts[p]);
      }
      ASSERT_NO_FATAL_FAILURE(all.expect_equal());
      for (const auto& part : parts) ASSERT_NO_FATAL_FAILURE(part.expect_equal());
    }
  }
}

TYPED_TEST(HashAggregationPartials, HaveStringsNullsAndNansAsKeys) {
  const RowBatch none(0, 1);
  const auto make = [&] {
    return with_summary(none.values, [&](const auto&... asked) {
      return hash_aggregation<std::uint32_t, FourBitRowHash>(Exec(), none.columns.keys(),
                                                             HashAggregationOptions{}, asked...);
    });
  };
  auto all = make();
  ExpectedSummaries<GroupKey> expected;
  std::uint64_t seed = 30;
  for (const std::uint64_t size : {0, 1, 300, 5000, 1, 6000}) {
    const RowBatch batch(size, ++seed);
    auto part = make();
    with_summary(batch.values, [&](const auto&... asked) {
      part.add(Exec(), batch.columns.keys(), asked...);
      if (size == 300) all.add(Exec(), batch.columns.keys(), asked...);
    });
    expected.add(group_keys_of(batch.rows), batch.values);
    if (size != 300) TypeParam::add(all, part);
  }
  const auto found = all.results(Exec());
  ASSERT_NO_FATAL_FAILURE(
      expect_summaries(host_row_keys(found.keys), host_summaries(found.results), expected));
}

TYPED_TEST(HashAggregationPartials, KeepFirstValuesAndVariances) {
  const NumberBatch none({}, 0);
  const auto make = [&] {
    return with_firsts_and_variances(none.values, [&](const auto&... asked) {
      return hash_aggregation(Exec(), none.device_keys, asked...);
    });
  };
  auto all = make();
  ExpectedFirstsAndVariances expected;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const NumberBatch batch(zipf_numbers(seed * 700, seed), seed);
    auto part = make();
    with_firsts_and_variances(
        batch.values, [&](const auto&... asked) { part.add(Exec(), batch.device_keys, asked...); });
    expected.add(batch);
    TypeParam::add(all, part);
  }
  const auto found = all.results(Exec());
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_NO_FATAL_FAILURE(expected.expect(to_host(std::get<0>(found.keys).values), found.results));
}

/// Rows that come from several ranks repeat their keys; the first row of a key has its first value.
TEST(HashAggregationPartials, MayRepeatKeys) {
  const NumberBatch none({}, 0);
  const auto make = [&] {
    return with_firsts_and_variances(none.values, [&](const auto&... asked) {
      return hash_aggregation(Exec(), none.device_keys, asked...);
    });
  };
  ExpectedFirstsAndVariances expected;
  std::vector<std::uint32_t> keys;
  std::vector<typename decltype(make())::state_type> states;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const NumberBatch batch(zipf_numbers(20 * seed, seed), seed);
    auto part = make();
    with_firsts_and_variances(
        batch.values, [&](const auto&... asked) { part.add(Exec(), batch.device_keys, asked...); });
    expected.add(batch);
    const auto groups = part.export_partials(Exec());
    for (const auto key : to_host(std::get<0>(groups.keys).values)) keys.push_back(key);
    for (const auto& state : to_host(groups.states)) states.push_back(state);
  }
  auto all = make();
  all.add_partials(Exec(), to_device(keys), to_device(states));
  const auto found = all.results(Exec());
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_NO_FATAL_FAILURE(expected.expect(to_host(std::get<0>(found.keys).values), found.results));
}

/// Means far from 0 and from each other, and values that are no numbers.
TEST(HashAggregationPartials, AddVariancesWithoutCancellation) {
  const auto variance_of_parts = [](const std::vector<std::vector<double>>& parts) {
    const auto make = [] {
      return hash_aggregation(Exec(), Kokkos::View<int*, Memory>(),
                              agg::variance(Kokkos::View<double*, Memory>(), 0));
    };
    std::vector<int> keys;
    std::vector<typename decltype(make())::state_type> states;
    for (const auto& part : parts) {
      auto some = make();
      some.add(Exec(), to_device(std::vector<int>(part.size())), agg::variance(to_device(part), 0));
      for (const auto& state : to_host(some.export_partials(Exec()).states)) {
        keys.push_back(0);
        states.push_back(state);
      }
    }
    auto all = make();
    all.add_partials(Exec(), to_device(keys), to_device(states));
    return to_host(std::get<0>(all.results(Exec()).results).values)[0];
  };
  EXPECT_DOUBLE_EQ(variance_of_parts({{1e15 + 1}, {1e15 + 2}, {1e15 + 3}}), 2.0 / 3);
  EXPECT_DOUBLE_EQ(variance_of_parts({{-1e9, -1e9}, {}, {1e9, 1e9, 1e9, 1e9}}), 8e18 / 9);
  EXPECT_EQ(variance_of_parts({{1e300, 1e300}, {1e300}}), 0);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(variance_of_parts({{1, 2}, {infinity}})));
  EXPECT_TRUE(std::isnan(variance_of_parts({{1, std::nan("")}, {2}})));
}

TEST(HashAggregationPartials, RefuseWhatDoesNotFit) {
  const auto keys = to_device(std::vector<double>{1, 2, 1});
  const auto make = [&](std::uint64_t lost) {
    auto some = hash_aggregation(Exec(), keys, agg::variance(keys, lost));
    some.add(Exec(), keys, agg::variance(keys, lost));
    return some;
  };
  auto sample = make(1);
  const auto population = make(0);
  EXPECT_THROW(sample.merge(Exec(), population), InvalidArgument);
  EXPECT_THROW(sample.merge(Exec(), sample), InvalidArgument);
  const auto groups = population.export_partials(Exec());
  EXPECT_THROW(sample.add_partials(Exec(), keys, groups.states), InvalidArgument);
  EXPECT_THROW(sample.add_partials(Exec(), groups.key_columns().nans_unequal(), groups.states),
               InvalidArgument);
  EXPECT_EQ(to_host(std::get<0>(sample.results(Exec()).results).values),
            (std::vector<double>{0, 0}));
}

TEST(HashAggregationPartials, ShortOfMemoryAreAsBefore) {
  std::uint64_t failed = 0;
  for (std::uint64_t k = 0;; ++k) {
    SCOPED_TRACE(k);
    NumberAggregation<> all(BatchStrategy::automatic), part(BatchStrategy::automatic);
    all.add({repeated_numbers(900, 100, 1), 1});
    const NumberBatch batch(repeated_numbers(5000, 4000, 2), 2);
    part.add(batch);
    bool done = false;
    {
      const FailingAllocations failing(k);
      try {
        (*all).merge(Exec(), *part);
        done = true;
      } catch (const CapacityError&) {
        ++failed;
      }
    }
    if (done) all.expect_also(batch);
    ASSERT_NO_FATAL_FAILURE(all.expect_equal());
    if (done) break;
  }
  EXPECT_GT(failed, 6U);
}

}  // namespace
}  // namespace hashmill::test
