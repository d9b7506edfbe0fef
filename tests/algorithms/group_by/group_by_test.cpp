#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <hashmill/hashmill.hpp>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "algorithms/join/row_rules.hpp"
#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/keys.hpp"
#include "mixed_rows.hpp"
#include "sampled_types.hpp"
#include "values.hpp"

namespace hashmill::test {
namespace {

/// Expects rows with equal keys, and no others, to share a group; `keys` are what std containers
/// compare.
template <class Key, class Groups>
void expect_groups(const std::vector<Key>& keys, const Groups& groups) {
  const auto group_of = to_wide_host(groups.group_of);
  const auto representatives = to_wide_host(groups.representatives);
  std::map<Key, std::uint64_t> group_of_key;
  ASSERT_EQ(group_of.size(), keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [place, is_new] = group_of_key.emplace(keys[i], group_of[i]);
    ASSERT_EQ(place->second, group_of[i]) << "row " << i;
  }
  ASSERT_EQ(groups.size(), group_of_key.size());
  std::set<std::uint64_t> numbers;
  for (const auto& [key, group] : group_of_key) {
    ASSERT_LT(group, groups.size());
    ASSERT_TRUE(numbers.insert(group).second) << "two keys in group " << group;
    ASSERT_TRUE(keys[representatives[group]] == key) << "group " << group;
  }
}

template <class KeyType, class RowType>
struct KeyAndRow {
  using Key = KeyType;
  using Row = RowType;
};

template <class Types>
class GroupRows : public testing::Test {
 protected:
  using Key = typename Types::Key;
  static void expect_all(const Numbers& numbers, GroupStrategy strategy) {
    std::vector<Key> host(numbers.size());
    std::vector<std::uint64_t> normal(numbers.size());
    for (std::size_t i = 0; i < host.size(); ++i) {
      host[i] = key_of<Key>(numbers[i]);
      normal[i] = number_of(host[i]);
    }
    const auto keys = to_device(host);
    expect_groups(normal, group_rows<typename Types::Row>(Exec(), keys, {strategy}));
  }
};

using KeysAndRows =
    SampledTypes<KeyAndRow<std::uint32_t, std::uint32_t>, KeyAndRow<std::int64_t, std::uint64_t>,
                 KeyAndRow<Key128, std::uint32_t>>;
TYPED_TEST_SUITE(GroupRows, KeysAndRows);

TYPED_TEST(GroupRows, GivesEqualKeysOneGroup) {
  for (const auto& [name, keys] : every_shape(2000, 51)) {
    SCOPED_TRACE(name);
    for (const GroupStrategy strategy : {GroupStrategy::automatic, GroupStrategy::hash}) {
      ASSERT_NO_FATAL_FAILURE(TestFixture::expect_all(keys, strategy));
    }
  }
  TestFixture::expect_all({}, GroupStrategy::automatic);
  TestFixture::expect_all({5}, GroupStrategy::hash);
}

TEST(GroupRowsDense, NumbersGroupsInTheOrderOfTheirKeys) {
  const auto keys = to_device(std::vector<std::int32_t>{7, -3, 7, 2'000'000, -3, 0});
  const auto groups = group_rows(Exec(), keys, {GroupStrategy::dense});
  EXPECT_EQ(to_host(groups.group_of), (std::vector<std::uint32_t>{2, 0, 2, 3, 0, 1}));
  const Kokkos::View<std::int32_t*, Memory> out("hashmill::test::out", groups.size());
  gather(Exec(), keys, groups.representatives, out);
  EXPECT_EQ(to_host(out), (std::vector<std::int32_t>{-3, 0, 7, 2'000'000}));
}

TEST(GroupRowsDense, RefusesKeysThatAreNoViewOfIntegers) {
  const auto keys = to_device(std::vector<float>{1, 2});
  EXPECT_THROW((void)group_rows(Exec(), keys, {GroupStrategy::dense}), InvalidArgument);
  const auto wide = to_device(std::vector<std::uint64_t>{0, ~std::uint64_t{0}});
  EXPECT_THROW((void)group_rows(Exec(), wide, {GroupStrategy::dense}), CapacityError);
  EXPECT_EQ(group_rows(Exec(), wide).size(), 2U);
}

TEST(GroupRowsOfColumns, TakesNullsAndNansAsOneValueEach) {
  const auto rows = random_rows(3000, 52);
  std::vector<decltype(group_key(rows[0]))> keys;
  for (const Row& row : rows) keys.push_back(group_key(row));
  const RowColumns<std::int16_t> columns(rows);
  expect_groups(keys, group_rows(Exec(), columns.keys()));
}

/// One column is compared by its values, as several are: strings by what they say.
TEST(GroupRowsOfColumns, TakesOneColumnByItsValues) {
  const MixedRows rows(1000, 53);
  Strings names = rows.names;
  names.insert(names.end(), rows.names.begin(), rows.names.end());
  const DeviceStrings device_names(names);
  expect_groups(names, group_rows(Exec(), device_names.column()));
  const DeviceValues device_bytes(rows.bytes);
  expect_groups(rows.bytes, group_rows(Exec(), device_bytes.column()));
  const auto counted = group_by(Exec(), device_bytes.column(), agg::count());
  EXPECT_EQ(counted.size(), std::set(rows.bytes.begin(), rows.bytes.end()).size());
}

void expect_aggregates(const Numbers& keys, std::uint64_t seed) {
  const Exec exec;
  const KeyColumns<std::uint32_t> columns(keys);
  const Values values(keys.size(), seed);
  const auto nullable = values.nullable();
  const auto groups = group_rows(exec, columns.source());
  const auto [count, present, sum, least, most, mean, first] = aggregate(
      exec, groups, agg::count(), agg::count(nullable), agg::sum(nullable), agg::min(nullable),
      agg::max(values.device_doubles), agg::mean(nullable), agg::first(nullable));
  const auto [sample, population, total] =
      aggregate(exec, groups, agg::variance(values.device_doubles), agg::variance(nullable, 0),
                agg::sum(values.device_doubles));
  const auto counts = to_host(count.values), presents = to_host(present.values);
  const auto sums = host_results(sum);
  const auto minima = host_results(least), firsts = host_results(first);
  const auto maxima = to_host(most.values), totals = to_host(total.values);
  const auto means = host_results(mean), samples = host_results(sample),
             populations = host_results(population);
  const auto distinct = to_host(count_distinct(exec, groups, nullable));

  std::map<std::uint64_t, std::vector<std::uint64_t>> rows_of;
  const auto group_of = to_host(groups.group_of);
  for (std::uint64_t i = 0; i < keys.size(); ++i) rows_of[group_of[i]].push_back(i);
  ASSERT_EQ(counts.size(), rows_of.size());
  for (const auto& [g, rows] : rows_of) {
    SCOPED_TRACE("group " + std::to_string(g));
    std::vector<std::int64_t> there;
    double all = 0, squares = 0, least_squares = 0;
    for (const std::uint64_t i : rows) {
      all += values.doubles[i];
      if (values.valid[i]) there.push_back(values.ints[i]);
    }
    const std::int64_t expected_sum = std::accumulate(there.begin(), there.end(), std::int64_t{0});
    const double expected_mean =
        static_cast<double>(expected_sum) / static_cast<double>(there.size());
    for (const std::uint64_t i : rows) {
      squares += std::pow(values.doubles[i] - all / static_cast<double>(rows.size()), 2);
    }
    for (const std::int64_t v : there) least_squares += std::pow(double(v) - expected_mean, 2);
    EXPECT_EQ(counts[g], rows.size());
    EXPECT_EQ(presents[g], there.size());
    EXPECT_EQ(distinct[g], std::set<std::int64_t>(there.begin(), there.end()).size());
    EXPECT_EQ(totals[g], all);  // sums of integers below 2^53 are exact
    EXPECT_EQ(maxima[g], values.doubles[*std::max_element(
                             rows.begin(), rows.end(), [&](std::uint64_t a, std::uint64_t b) {
                               return values.doubles[a] < values.doubles[b];
                             })]);
    EXPECT_EQ(samples[g].has_value(), rows.size() > 1);
    if (samples[g]) {
      EXPECT_NEAR(*samples[g], squares / double(rows.size() - 1), 1e-6 * (1 + squares));
    }
    ASSERT_EQ(sums[g].has_value(), !there.empty());
    ASSERT_EQ(minima[g].has_value(), !there.empty());
    ASSERT_EQ(firsts[g].has_value(), !there.empty());
    ASSERT_EQ(means[g].has_value(), !there.empty());
    ASSERT_EQ(populations[g].has_value(), !there.empty());
    if (there.empty()) continue;
    EXPECT_EQ(*sums[g], expected_sum);
    EXPECT_EQ(*minima[g], *std::min_element(there.begin(), there.end()));
    EXPECT_EQ(*firsts[g], there.front());
    EXPECT_DOUBLE_EQ(*means[g], expected_mean);
    EXPECT_NEAR(*populations[g], least_squares / double(there.size()), 1e-9 * (1 + least_squares));
  }
}

TEST(Aggregate, GivesWhatStdContainersGive) {
  for (const auto& [name, keys] : every_shape(3000, 53)) {
    SCOPED_TRACE(name);
    ASSERT_NO_FATAL_FAILURE(expect_aggregates(keys, 54));
  }
}

TEST(Aggregate, TakesFewGroupsAndMany) {
  // Two tiles at least, for two threads that add to one group.
  const std::uint64_t rows = sampling() ? 10'000 : 50'000;
  for (const std::uint64_t groups : {1, 2, 9, 300, 5000, 40'000}) {
    SCOPED_TRACE(groups);
    ASSERT_NO_FATAL_FAILURE(expect_aggregates(repeated_numbers(rows, groups, 55), 56));
  }
}

/// Expects `group_by` to give each key once, with what its rows come to.
void expect_group_by(const Numbers& numbers) {
  const KeyColumns<std::uint32_t> columns(numbers);
  const Values values(numbers.size(), 58);
  const auto nullable = values.nullable();
  const auto grouped = group_by(Exec(), columns.source(), agg::count(), agg::sum(nullable),
                                agg::min(values.device_doubles), agg::first(values.device_ints));
  struct Expected {
    std::uint64_t count = 0;
    std::optional<std::int64_t> sum;
    double least = HUGE_VAL;
    std::optional<std::int32_t> first;
    bool operator==(const Expected&) const = default;
  };
  std::map<std::uint64_t, Expected> expected, actual;
  const auto key_of_row = [&](std::uint64_t i) { return numbers[i] & 0xFFFFFFFF; };
  for (std::uint64_t i = 0; i < numbers.size(); ++i) {
    Expected& group = expected[key_of_row(i)];
    ++group.count;
    if (values.valid[i]) group.sum = group.sum.value_or(0) + values.ints[i];
    group.least = std::min(group.least, values.doubles[i]);
    if (!group.first) group.first = values.ints[i];
  }
  const auto representatives = to_host(grouped.representatives);
  const auto counts = to_host(std::get<0>(grouped.results).values);
  const auto sums = host_results(std::get<1>(grouped.results));
  const auto minima = to_host(std::get<2>(grouped.results).values);
  const auto firsts = to_host(std::get<3>(grouped.results).values);
  for (std::size_t g = 0; g < grouped.size(); ++g) {
    actual[key_of_row(representatives[g])] = {counts[g], sums[g], minima[g], firsts[g]};
  }
  ASSERT_EQ(grouped.size(), expected.size());
  ASSERT_TRUE(actual == expected);
}

TEST(GroupBy, GivesWhatStdContainersGive) {
  for (const auto& [name, keys] : every_shape(3000, 60)) {
    SCOPED_TRACE(name);
    ASSERT_NO_FATAL_FAILURE(expect_group_by(keys));
  }
  for (const std::uint64_t groups : {1, 7, 500, 20'000}) {
    SCOPED_TRACE(groups);
    ASSERT_NO_FATAL_FAILURE(expect_group_by(repeated_numbers(60'000, groups, 61)));
  }
}

TEST(GroupBy, TakesMoreGroupsThanScratchHolds) {
  expect_group_by(random_numbers(270'000, 62));
  expect_group_by(repeated_numbers(270'000, 200'000, 63));
}

/// A sample, every third row, sees five groups, and the other rows are all different.
TEST(GroupBy, TakesRowsThatScratchHasNoRoomFor) {
  Numbers keys(3 * 65'536 + 2);
  for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = i % 3 == 0 ? i % 5 : i;
  expect_group_by(keys);
}

TEST(GroupBy, TakesTemporaryMemoryOfAWorkspace) {
  const Numbers numbers = repeated_numbers(270'000, 200'000, 64);
  const KeyColumns<std::uint32_t> keys(numbers);
  std::map<std::uint32_t, std::uint64_t> sum_of;
  for (const std::uint64_t number : numbers) {
    sum_of[static_cast<std::uint32_t>(number)] += static_cast<std::uint32_t>(number);
  }
  std::vector<std::uint64_t> expected;
  for (const auto& [key, sum] : sum_of) expected.push_back(sum);
  std::sort(expected.begin(), expected.end());

  Workspace<Memory> workspace;
  const auto group = [&] {
    return group_by(Exec(), keys.source(), workspace, agg::sum(keys.source()));
  };
  const auto first = group(), second = group();
  const std::uint64_t held = workspace.bytes();
  EXPECT_GE(held, numbers.size() * sizeof(std::uint32_t));
  const auto third = group();
  EXPECT_EQ(workspace.bytes(), held);
  for (const auto& grouped : {first, second, third}) {
    auto sums = to_host(std::get<0>(grouped.results).values);
    std::sort(sums.begin(), sums.end());
    EXPECT_TRUE(sums == expected);
  }
}

TEST(Aggregate, OrdersNumbersOfEveryType) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = HUGE_VAL;
  const auto keys = to_device(std::vector<std::uint32_t>{0, 0, 0, 1, 1, 2, 2, 2});
  const auto doubles = to_device(std::vector<double>{nan, -inf, -0.0, nan, nan, -2.5, -1.5, inf});
  const auto bytes = to_device(std::vector<std::int8_t>{-128, 127, 0, -1, 1, -2, -3, -4});
  const auto words = to_device(std::vector<std::uint64_t>{0, ~std::uint64_t{0}, 5, 6, 7, 9, 8, 10});
  const auto result = group_by(Exec(), keys, agg::min(doubles), agg::max(doubles), agg::min(bytes),
                               agg::max(bytes), agg::min(words), agg::max(words));
  const auto [least, most, least_byte, most_byte, least_word, most_word] = result.results;
  const auto minima = to_host(least.values), maxima = to_host(most.values);
  EXPECT_EQ(minima[0], -inf);
  EXPECT_TRUE(std::isnan(maxima[0]) && std::isnan(minima[1]) && std::isnan(maxima[1]));
  EXPECT_EQ(minima[2], -2.5);
  EXPECT_EQ(maxima[2], inf);
  EXPECT_EQ(to_host(least_byte.values), (std::vector<std::int8_t>{-128, -1, -4}));
  EXPECT_EQ(to_host(most_byte.values), (std::vector<std::int8_t>{127, 1, -2}));
  EXPECT_EQ(to_host(least_word.values), (std::vector<std::uint64_t>{0, 6, 8}));
  EXPECT_EQ(to_host(most_word.values), (std::vector<std::uint64_t>{~std::uint64_t{0}, 7, 10}));
}

TEST(Aggregate, RefusesColumnsOfAnotherLength) {
  const auto keys = to_device(std::vector<std::uint32_t>{1, 2, 1});
  const auto values = to_device(std::vector<float>{1, 2});
  EXPECT_THROW((void)group_by(Exec(), keys, agg::sum(values)), InvalidArgument);
}

TEST(Aggregate, ResultsGroupAgain) {
  const auto keys = to_device(std::vector<std::uint32_t>{4, 4, 5, 6, 6, 7});
  const auto counted = group_by(Exec(), keys, agg::count());
  const auto sizes = group_by(Exec(), columns(std::get<0>(counted.results).column()), agg::count());
  auto counts = to_host(std::get<0>(sizes.results).values);
  std::sort(counts.begin(), counts.end());
  EXPECT_EQ(counts, (std::vector<std::uint64_t>{2, 2}));
}

TEST(Aggregate, ShortOfMemorySaysSo) {
  const KeyColumns<std::uint32_t> keys(repeated_numbers(1000, 100, 57));
  const std::uint64_t failed =
      count_failures([&] { (void)group_by(Exec(), keys.source(), agg::sum(keys.source())); });
  EXPECT_GT(failed, 2U);
}

}  // namespace
}  // namespace hashmill::test
