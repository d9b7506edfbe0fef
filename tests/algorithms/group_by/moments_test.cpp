#include <gtest/gtest.h>

#include <cmath>
#include <hashmill/hashmill.hpp>
#include <map>

#include "algorithms/support/inputs.hpp"
#include "values.hpp"

namespace hashmill::test {
namespace {

constexpr double infinity = HUGE_VAL;

/// A mean and both variances of one group.
struct Moments {
  double mean = 0;
  std::optional<double> sample;
  double population = 0;
};
using Grouped = std::map<std::uint32_t, Moments>;

template <class Keys, class Results>
Grouped moments_of(const Keys& keys, const Results& results) {
  const auto means = host_results(std::get<0>(results));
  const auto samples = host_results(std::get<1>(results));
  const auto populations = host_results(std::get<2>(results));
  Grouped groups;
  for (std::size_t g = 0; g < keys.size(); ++g) {
    groups[keys[g]] = {means[g].value(), samples[g], populations[g].value()};
  }
  return groups;
}

template <class Values, class Call>
auto with_moments(const Values& values, const Call& call) {
  return call(agg::mean(values), agg::variance(values), agg::variance(values, 0));
}

template <class Value>
Grouped by_strategy(const std::vector<std::uint32_t>& keys, const std::vector<Value>& values,
                    GroupStrategy strategy) {
  const auto by = to_device(keys);
  const auto grouped = with_moments(to_device(values), [&](const auto&... asked) {
    return group_by(Exec(), by, GroupOptions{strategy}, asked...);
  });
  std::vector<std::uint32_t> found;
  for (const std::uint32_t row : to_host(grouped.representatives)) found.push_back(keys[row]);
  return moments_of(found, grouped.results);
}

/// Batches of different lengths, from the front or from the back.
template <class Value>
Grouped by_batches(const std::vector<std::uint32_t>& keys, const std::vector<Value>& values,
                   bool backwards, BatchStrategy strategy) {
  const auto by = to_device(keys);
  const auto all = to_device(values);
  const auto slice = [](const auto& view, std::uint64_t begin, std::uint64_t end) {
    return Kokkos::subview(view, std::make_pair(begin, end));
  };
  auto aggregation = with_moments(all, [&](const auto&... asked) {
    return hash_aggregation(Exec(), by, HashAggregationOptions{strategy}, asked...);
  });
  std::vector<std::uint64_t> ends{0, 1};
  while (ends.back() < keys.size()) {
    ends.push_back(std::min<std::uint64_t>(keys.size(), ends.back() * 3));
  }
  for (std::size_t b = 0; b + 1 < ends.size(); ++b) {
    const std::size_t from = backwards ? ends.size() - 2 - b : b;
    with_moments(slice(all, ends[from], ends[from + 1]), [&](const auto&... asked) {
      aggregation.add(Exec(), slice(by, ends[from], ends[from + 1]), asked...);
    });
  }
  const auto found = aggregation.results(Exec());
  return moments_of(to_host(std::get<0>(found.keys).values), found.results);
}

/// The same in more bits: exact for integers whose squares' sums fit 128 bits, else __float128.
template <class Value>
Grouped reference(const std::vector<std::uint32_t>& keys, const std::vector<Value>& values) {
  std::map<std::uint32_t, std::vector<Value>> of;
  for (std::size_t i = 0; i < keys.size(); ++i) of[keys[i]].push_back(values[i]);
  Grouped groups;
  for (const auto& [key, there] : of) {
    const auto count = static_cast<__float128>(there.size());
    __float128 sum = 0, squares = 0;
    for (const __float128 value : there) sum += value;
    const __float128 mean = sum / count;
    for (const __float128 value : there) squares += (value - mean) * (value - mean);
    Moments& moments = groups[key];
    moments.mean = static_cast<double>(mean);
    moments.population = static_cast<double>(squares / count);
    if (there.size() > 1) moments.sample = static_cast<double>(squares / (count - 1));
  }
  return groups;
}

/// Relative distance, where NaN and infinities are at 0 from themselves.
double off(double actual, double expected) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0;
  return std::abs(actual - expected) / std::abs(expected);
}

void expect_near(const Grouped& actual, const Grouped& expected, double mean_bound,
                 double variance_bound) {
  ASSERT_EQ(actual.size(), expected.size());
  for (const auto& [key, moments] : expected) {
    SCOPED_TRACE("key " + std::to_string(key));
    const Moments& found = actual.at(key);
    ASSERT_LE(off(found.mean, moments.mean), mean_bound) << found.mean << " " << moments.mean;
    ASSERT_LE(off(found.population, moments.population), variance_bound)
        << found.population << " " << moments.population;
    ASSERT_EQ(found.sample.has_value(), moments.sample.has_value());
    if (found.sample) {
      ASSERT_LE(off(*found.sample, *moments.sample), variance_bound);
    }
  }
}

template <class Value>
void expect_everywhere(const std::vector<std::uint32_t>& keys, const std::vector<Value>& values) {
  const Grouped expected = reference(keys, values);
  const double variance_bound = std::is_floating_point_v<Value> ? 0x1p-48 : 0x1p-51;
  for (const GroupStrategy strategy : {GroupStrategy::automatic, GroupStrategy::hash,
                                       GroupStrategy::dense, GroupStrategy::tag_bucket}) {
    SCOPED_TRACE("strategy " + std::to_string(static_cast<int>(strategy)));
    ASSERT_NO_FATAL_FAILURE(
        expect_near(by_strategy(keys, values, strategy), expected, 0x1p-52, variance_bound));
  }
  for (const bool backwards : {false, true}) {
    for (const BatchStrategy strategy : {BatchStrategy::by_groups, BatchStrategy::by_rows}) {
      SCOPED_TRACE("batches " + std::to_string(static_cast<int>(strategy)));
      ASSERT_NO_FATAL_FAILURE(expect_near(by_batches(keys, values, backwards, strategy), expected,
                                          0x1p-52, variance_bound));
    }
  }
}

/// Values from `least` up, `spread` apart at most.
template <class Value>
std::vector<Value> values_from(Value least, std::uint64_t spread, std::size_t count) {
  std::vector<Value> values;
  for (const std::uint64_t number : random_numbers(count, 71)) {
    values.push_back(static_cast<Value>(least + static_cast<Value>(number % (spread + 1))));
  }
  return values;
}

std::vector<std::uint32_t> keys_of(std::size_t count, std::uint64_t groups) {
  std::vector<std::uint32_t> keys;
  for (const std::uint64_t number : random_numbers(count, 72)) {
    keys.push_back(static_cast<std::uint32_t>(number % groups));
  }
  return keys;
}

template <class Value>
class Moment : public testing::Test {};
using Integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(Moment, Integers);

TYPED_TEST(Moment, OfIntegersAtBothEndsOfTheirRange) {
  using Limits = std::numeric_limits<TypeParam>;
  const auto keys = keys_of(6000, 40);
  const std::uint64_t spread = 3;
  const auto top = static_cast<TypeParam>(Limits::max() - static_cast<TypeParam>(spread));
  ASSERT_NO_FATAL_FAILURE(expect_everywhere(keys, values_from(Limits::min(), spread, keys.size())));
  ASSERT_NO_FATAL_FAILURE(expect_everywhere(keys, values_from(top, spread, keys.size())));
  std::vector<TypeParam> ends;
  for (const std::uint64_t number : random_numbers(keys.size(), 73)) {
    ends.push_back(number % 2 == 0 ? Limits::min() : Limits::max());
  }
  ASSERT_NO_FATAL_FAILURE(expect_everywhere(keys, ends));
}

TEST(Moments, OfIntegersFarFromZero) {
  for (const double offset : {0.0, -1e12, 1e15, -1e18, 9.2e18}) {
    SCOPED_TRACE(offset);
    for (const std::uint64_t groups : {1, 3, 2500, 1'000'000}) {
      const auto keys = keys_of(5000, groups);
      ASSERT_NO_FATAL_FAILURE(
          expect_everywhere(keys, values_from(static_cast<std::int64_t>(offset), 10, keys.size())));
    }
  }
}

TEST(Moments, OfFloatingPointNumbersFarFromZero) {
  for (const double offset : {0.0, 1e9, -1e12, 1e15, -1e16, 1e18}) {
    SCOPED_TRACE(offset);
    for (const std::uint64_t groups : {1, 3, 2500, 1'000'000}) {
      const auto keys = keys_of(5000, groups);
      const auto spread = static_cast<std::uint64_t>(std::abs(offset) * 1e-14) + 9;
      std::vector<double> values = values_from(offset, spread, keys.size());
      if (std::abs(offset) < 1e15) {
        for (double& value : values) value = offset + (value - offset) / 7;
      }
      ASSERT_NO_FATAL_FAILURE(expect_everywhere(keys, values));
    }
  }
  const auto keys = keys_of(5000, 9);
  ASSERT_NO_FATAL_FAILURE(expect_everywhere(keys, values_from<float>(1e7F, 30, keys.size())));
}

TEST(Moments, OfTwoNeighboursIsExact) {
  const std::vector<std::uint32_t> keys{1, 1, 2, 2, 3, 3};
  const std::vector<double> doubles{1e16, 1e16 + 2, 1e18, 1e18 + 128, -0x1p60, -0x1p60 - 256};
  const Grouped groups = by_strategy(keys, doubles, GroupStrategy::automatic);
  EXPECT_EQ(groups.at(1).population, 1);
  EXPECT_EQ(groups.at(1).sample, 2);
  EXPECT_EQ(groups.at(2).population, 64 * 64);
  EXPECT_EQ(groups.at(3).population, 128 * 128);
  const std::vector<std::int64_t> integers{INT64_MAX,     INT64_MAX - 1, INT64_MIN,
                                           INT64_MIN + 1, INT64_MIN,     INT64_MAX};
  for (const auto& found : {by_strategy(keys, integers, GroupStrategy::automatic),
                            by_batches(keys, integers, true, BatchStrategy::by_rows)}) {
    EXPECT_EQ(found.at(1).population, 0.25);
    EXPECT_EQ(found.at(2).population, 0.25);
    EXPECT_EQ(found.at(3).mean, -0.5);
    EXPECT_EQ(found.at(1).mean, 0x1p63);
  }
}

/// All of what cancels is there before what does not, in every order.
TEST(Moments, OfNumbersThatCancel) {
  const std::vector<std::uint32_t> keys{1, 1, 1, 1, 2, 2, 2, 2};
  const std::vector<double> values{1e17, 1, -1e17, 3, 2, 1e30, 2, -1e30};
  for (const auto& found : {by_strategy(keys, values, GroupStrategy::hash),
                            by_batches(keys, values, false, BatchStrategy::by_groups),
                            by_batches(keys, values, true, BatchStrategy::by_groups)}) {
    EXPECT_EQ(found.at(1).mean, 1);
    EXPECT_EQ(found.at(2).mean, 1);
  }
}

TEST(Moments, OfEqualNumbersIsZero) {
  const std::vector<std::uint32_t> keys(100'000, 4);
  const std::vector<double> values(keys.size(), 1e18 / 7);
  for (const auto& found : {by_strategy(keys, values, GroupStrategy::dense),
                            by_batches(keys, values, true, BatchStrategy::by_groups)}) {
    EXPECT_EQ(found.at(4).mean, 1e18 / 7);
    EXPECT_EQ(found.at(4).population, 0);
    EXPECT_EQ(found.at(4).sample, 0);
  }
}

TEST(Moments, OfVeryManyRowsOfAGroup) {
  constexpr std::size_t rows = 3'000'000;
  const std::vector<std::uint32_t> keys(rows, 7);
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) values.push_back(1e15 + static_cast<double>(i % 3));
  ASSERT_NO_FATAL_FAILURE(expect_near(by_strategy(keys, values, GroupStrategy::automatic),
                                      reference(keys, values), 0x1p-52, 0x1p-48));
  std::vector<std::uint64_t> integers;
  for (std::size_t i = 0; i < rows; ++i) integers.push_back(~std::uint64_t{0} - i % 3);
  ASSERT_NO_FATAL_FAILURE(expect_near(by_strategy(keys, integers, GroupStrategy::automatic),
                                      reference(keys, integers), 0x1p-52, 0x1p-51));
}

TEST(Moments, OfInfinitiesAndNans) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::uint32_t> keys{1, 1, 2, 2, 3, 3, 4};
  const std::vector<double> values{infinity, 1, infinity, -infinity, nan, 1, -infinity};
  const Grouped expected{{1, {infinity, nan, nan}},
                         {2, {nan, nan, nan}},
                         {3, {nan, nan, nan}},
                         {4, {-infinity, std::nullopt, nan}}};
  for (const auto& found : {by_strategy(keys, values, GroupStrategy::automatic),
                            by_batches(keys, values, false, BatchStrategy::by_groups),
                            by_batches(keys, values, true, BatchStrategy::by_rows)}) {
    ASSERT_NO_FATAL_FAILURE(expect_near(found, expected, 0, 0));
  }
}

TEST(Moments, LeaveNullsOut) {
  const Values values(4000, 3);
  const auto keys = to_device(std::vector<std::uint32_t>(4000, 1));
  const auto found = with_moments(
      values.nullable(), [&](const auto&... asked) { return group_by(Exec(), keys, asked...); });
  std::vector<std::int32_t> there;
  for (std::size_t i = 0; i < 4000; ++i) {
    if (values.valid[i]) there.push_back(values.ints[i]);
  }
  const std::vector<std::uint32_t> one(there.size(), 1);
  expect_near(moments_of(std::vector<std::uint32_t>{1}, found.results), reference(one, there),
              0x1p-52, 0x1p-51);
}

TEST(HashAggregation, RefusesAVarianceOfOtherDegrees) {
  const auto keys = to_device(std::vector<std::uint32_t>{1, 1});
  const auto doubles = to_device(std::vector<double>{1, 3});
  const auto ints = to_device(std::vector<std::int32_t>{1, 3});
  const auto check = [&](const auto& values) {
    auto aggregation = hash_aggregation(Exec(), keys, agg::variance(values, 0));
    EXPECT_THROW(aggregation.add(Exec(), keys, agg::variance(values)), InvalidArgument);
    EXPECT_EQ(aggregation.size(), 0U);
    aggregation.add(Exec(), keys, agg::variance(values, 0));
    EXPECT_EQ(to_host(std::get<0>(aggregation.results(Exec()).results).values)[0], 1);
  };
  check(doubles);
  check(ints);
}

TEST(Sums, WrapAround) {
  const auto keys = to_device(std::vector<std::uint32_t>{1, 1, 1});
  const auto most = to_device(std::vector<std::int64_t>{INT64_MAX, 1, 5});
  const auto least = to_device(std::vector<std::int64_t>{INT64_MIN, -1, -5});
  auto batches = hash_aggregation(Exec(), keys, agg::sum(most), agg::sum(least));
  batches.add(Exec(), keys, agg::sum(most), agg::sum(least));
  const auto one = group_by(Exec(), keys, agg::sum(most), agg::sum(least)).results;
  for (const auto& found : {one, batches.results(Exec()).results}) {
    EXPECT_EQ(to_host(std::get<0>(found).values)[0], INT64_MIN + 5);
    EXPECT_EQ(to_host(std::get<1>(found).values)[0], INT64_MAX - 5);
  }
}

}  // namespace
}  // namespace hashmill::test
