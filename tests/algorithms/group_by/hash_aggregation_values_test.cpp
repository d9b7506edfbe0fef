#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "number_aggregation.hpp"

namespace hashmill::test {
namespace {

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

}  // namespace
}  // namespace hashmill::test
