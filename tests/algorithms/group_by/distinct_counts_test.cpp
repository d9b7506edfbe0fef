#include <gtest/gtest.h>

#include <set>

#include "number_aggregation.hpp"

namespace hashmill::test {
namespace {

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
