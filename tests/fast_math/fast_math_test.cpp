#include <gtest/gtest.h>

#include <bit>
#include <hashmill/bloom_filter.hpp>
#include <hashmill/columns.hpp>
#include <hashmill/group_by.hpp>
#include <hashmill/hash_join.hpp>
#include <map>
#include <set>

#include "algorithms/join/each_strategy.hpp"
#include "algorithms/support/views.hpp"

// Numbers are made of bits and compared by them: with this program's options a comparison of NaN
// may say anything.

namespace hashmill::test {
namespace {

constexpr std::uint64_t nan_bits = 0x7ff8000000000000, negative_nan = 0xfff8000000000000,
                        signalling_nan = 0x7ff0000000000001, infinity = 0x7ff0000000000000,
                        negative_infinity = 0xfff0000000000000, negative_zero = 0x8000000000000000,
                        one = 0x3ff0000000000000, least_double = 1;

/// A number of which the compiler knows nothing.
double number(std::uint64_t bits) {
  const volatile std::uint64_t hidden = bits;
  return std::bit_cast<double>(std::uint64_t{hidden});
}

Kokkos::View<double*, Memory> doubles(const std::vector<std::uint64_t>& bits) {
  std::vector<double> values;
  for (const std::uint64_t word : bits) values.push_back(number(word));
  return to_device(values);
}

TEST(FastMath, LoadsOutOfRangeAreRefused) {
  for (const std::uint64_t bits : {nan_bits, negative_nan, signalling_nan, infinity,
                                   negative_infinity, negative_zero, std::uint64_t{0}}) {
    EXPECT_THROW((void)LoadFactor(number(bits)), InvalidArgument) << std::hex << bits;
    EXPECT_THROW((void)RowsPerBucket(number(bits)), InvalidArgument) << std::hex << bits;
  }
  EXPECT_EQ(LoadFactor(number(one)).value(), 1.0);
  EXPECT_EQ(RowsPerBucket(number(one)).value(), 1.0);
}

TEST(FastMath, TheLeastLoadHasABucketForNoEntries) {
  const LoadFactor share(number(least_double));
  EXPECT_EQ(share.buckets_for(0, 16).value(), 1U);
  EXPECT_THROW((void)share.buckets_for(1, 16), CapacityError);
  const RowsPerBucket average(number(least_double));
  EXPECT_EQ(average.buckets_for(0).value(), 1U);
  EXPECT_THROW((void)average.buckets_for(1), CapacityError);
}

TEST(FastMath, FilterOptionsOutOfRangeAreRefused) {
  const auto keys = to_device(std::vector<std::uint32_t>{1, 2, 3});
  for (const std::uint64_t bits : {nan_bits, negative_nan, infinity, negative_infinity}) {
    BloomFilterOptions size, rate;
    size.bits_per_key = number(bits);
    rate.false_positive_rate = number(bits);
    for (const BloomFilterOptions& options : {size, rate}) {
      EXPECT_THROW((BloomFilter<std::uint32_t, Memory>(Exec(), keys, options)), InvalidArgument);
    }
  }
}

TEST(FastMath, KeysKeepTheirBits) {
  EXPECT_EQ(canonical_bits(number(negative_nan)), nan_bits);
  EXPECT_EQ(canonical_bits(number(signalling_nan)), nan_bits);
  EXPECT_EQ(canonical_bits(number(negative_zero)), 0U);
  for (const std::uint64_t bits : {infinity, negative_infinity, one, least_double})
    EXPECT_EQ(canonical_bits(number(bits)), bits);
}

TEST(FastMath, DenormalFloatsAreTheNumbersThatTheyAre) {
  // The fraction f of a denormal float is f times 2^-149.
  const std::map<std::uint32_t, std::uint64_t> doubles_of_floats{{0x00000000, 0},
                                                                 {0x80000000, 0},
                                                                 {0x00000001, 0x36a0000000000000},
                                                                 {0x80000001, 0xb6a0000000000000},
                                                                 {0x00400000, 0x3800000000000000},
                                                                 {0x007fffff, 0x380fffffc0000000},
                                                                 {0x00800000, 0x3810000000000000},
                                                                 {0x3f800000, one},
                                                                 {0x7f800000, infinity},
                                                                 {0xff800000, negative_infinity},
                                                                 {0x7fc00000, nan_bits},
                                                                 {0xffc00001, nan_bits}};
  for (const auto& [bits, expected] : doubles_of_floats) {
    const volatile std::uint32_t hidden = bits;
    EXPECT_EQ(canonical_bits(std::bit_cast<float>(std::uint32_t{hidden})), expected)
        << std::hex << bits;
  }
}

/// Rows of both sides; NaN is in two of each.
const std::vector<std::uint64_t> left_rows{nan_bits, 0, one, infinity, negative_nan, least_double};
const std::vector<std::uint64_t> right_rows{negative_zero, signalling_nan, negative_infinity,
                                            infinity,      nan_bits,       one};

/// The pairs of rows that join.
template <class Left, class Right, class Options>
std::set<std::pair<std::uint32_t, std::uint32_t>> joined(const Left& left, const Right& right,
                                                         const Options& options) {
  const auto pairs = hash_join(Exec(), JoinKind::inner, left, right, EveryPair{}, options);
  const auto lefts = to_host(pairs.left), rights = to_host(pairs.right);
  std::set<std::pair<std::uint32_t, std::uint32_t>> result;
  for (std::size_t i = 0; i < lefts.size(); ++i) result.insert({lefts[i], rights[i]});
  return result;
}

TEST(FastMath, NansJoinUnlessTheyAreUnequal) {
  const auto right_values = doubles(right_rows), left_values = doubles(left_rows);
  const auto right = columns(right_values), left = columns(left_values);
  using Found = std::set<std::pair<std::uint32_t, std::uint32_t>>;
  const Found numbers{{1, 0}, {2, 5}, {3, 3}};
  Found all = numbers;
  all.merge(Found{{0, 1}, {0, 4}, {4, 1}, {4, 4}});
  for_each_strategy<JoinStrategy::look_up, JoinStrategy::partitioned>({}, [&](const auto& options) {
    EXPECT_EQ(joined(left, right, options), all);
    EXPECT_EQ(joined(left.nans_unequal(), right.nans_unequal(), options), numbers);
  });
}

TEST(FastMath, NansAreOneGroupAndTheGreatestValue) {
  const auto key_values = doubles(right_rows);
  const auto keys = columns(key_values);
  const auto values = doubles({one, one, infinity, nan_bits, negative_infinity, negative_nan});
  const auto groups = group_by(Exec(), keys, agg::count(), agg::min(values), agg::max(values));
  const auto rows = to_host(groups.representatives);
  const auto counts = to_host(std::get<0>(groups.results).values);
  const auto minima = to_host(std::get<1>(groups.results).values);
  const auto maxima = to_host(std::get<2>(groups.results).values);
  using Group = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  std::map<std::uint64_t, Group> found;
  for (std::size_t g = 0; g < rows.size(); ++g) {
    found[canonical_bits(number(right_rows[rows[g]]))] = {counts[g],
                                                          std::bit_cast<std::uint64_t>(minima[g]),
                                                          std::bit_cast<std::uint64_t>(maxima[g])};
  }
  const std::map<std::uint64_t, Group> expected{{0, {1, one, one}},
                                                {nan_bits, {2, negative_infinity, one}},
                                                {negative_infinity, {1, infinity, infinity}},
                                                {infinity, {1, nan_bits, nan_bits}},
                                                {one, {1, nan_bits, nan_bits}}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(to_host(group_rows(Exec(), keys.nans_unequal()).representatives).size(), 6U);
}

/// The mean and the population's variance of values of one group.
std::pair<double, double> moments_of(const std::vector<std::uint64_t>& bits) {
  const auto keys = to_device(std::vector<std::uint32_t>(bits.size(), 7));
  const auto values = doubles(bits);
  const auto grouped = group_by(Exec(), keys, agg::mean(values), agg::variance(values, 0));
  return {to_host(std::get<0>(grouped.results).values).at(0),
          to_host(std::get<1>(grouped.results).values).at(0)};
}

TEST(FastMath, MeansAndVariancesKeepWhatSumsRoundOff) {
  constexpr std::uint64_t large = 0x4341c37937e08000, next = 0x4341c37937e08001;  // 1e16, and + 2
  const auto [mean, variance] = moments_of({large, next});
  EXPECT_EQ(variance, 1.0);
  EXPECT_TRUE(mean == 1e16 || mean == 1e16 + 2) << mean;
  std::vector<std::uint64_t> many;
  for (int i = 0; i < 3000; ++i)
    many.push_back(i % 3 == 0 ? large : i % 3 == 1 ? large | negative_zero : one);
  EXPECT_DOUBLE_EQ(moments_of(many).first, 1.0 / 3);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(moments_of({one, infinity, one}).first), infinity);
  EXPECT_EQ(canonical_bits(moments_of({one, nan_bits, one}).first), nan_bits);
}

TEST(FastMath, MeansOfIntegersAreTheNearestNumbers) {
  const auto keys = to_device(std::vector<std::uint32_t>(2, 7));
  const auto values = to_device(std::vector<std::int64_t>{(std::int64_t{1} << 62) + 1023, 1023});
  const auto grouped = group_by(Exec(), keys, agg::mean(values), agg::variance(values, 0));
  EXPECT_EQ(to_host(std::get<0>(grouped.results).values).at(0), 0x1p61 + 1024);
  EXPECT_EQ(to_host(std::get<1>(grouped.results).values).at(0), 0x1p122);
}

}  // namespace
}  // namespace hashmill::test
