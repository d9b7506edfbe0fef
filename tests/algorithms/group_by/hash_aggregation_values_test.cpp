#include <gtest/gtest.h>

#include <map>

#include "firsts_and_variances.hpp"
#include "number_aggregation.hpp"

namespace hashmill::test {
namespace {

TEST(HashAggregation, KeepsFirstValuesAndVariancesOverBatches) {
  const NumberBatch none({}, 0);
  auto aggregation = with_firsts_and_variances(none.values, [&](const auto&... asked) {
    return hash_aggregation(Exec(), none.device_keys, asked...);
  });
  ExpectedFirstsAndVariances expected;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const NumberBatch batch(zipf_numbers(seed * 700, seed), seed);
    with_firsts_and_variances(batch.values, [&](const auto&... asked) {
      aggregation.add(Exec(), batch.device_keys, asked...);
    });
    expected.add(batch);
  }
  const auto found = aggregation.results(Exec());
  ASSERT_EQ(found.size(), expected.size());
  ASSERT_NO_FATAL_FAILURE(expected.expect(to_host(std::get<0>(found.keys).values), found.results));
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
