#include <gtest/gtest.h>

#include <cstdint>
#include <hashmill/options.hpp>
#include <limits>
#include <string>
#include <type_traits>

#include "message_of.hpp"

namespace hashmill {
namespace {

static_assert(LoadFactor(0.25).value() == 0.25);
static_assert(Seed(7).value() == 7 && Seed(7) == Seed(7) && Seed(7) != Seed(8));
static_assert(PartCount(3).value() == 3 && BinCount(3) == BinCount(3));
static_assert(BucketCount(std::uint64_t{1} << 40).value() == std::uint64_t{1} << 40);
static_assert(RowsPerBucket(4).buckets_for(10).value() == 3);
static_assert(LoadFactor(0.5).buckets_for(33, 16).value() == 5);
static_assert(!std::is_convertible_v<double, LoadFactor> && !std::is_convertible_v<int, Seed>);
static_assert(!std::is_convertible_v<double, RowsPerBucket>);
static_assert(!std::is_convertible_v<RowsPerBucket, LoadFactor>);
static_assert(!std::is_convertible_v<int, PartCount>);
static_assert(!std::is_same_v<PartCount, BinCount> && !std::is_convertible_v<PartCount, BinCount>);

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Expects that numbers up to `Load::largest` are taken, and others refused by name.
template <class Load>
void expect_range(const std::string& name, const std::string& range) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  for (const double value : {least, 1e-9, 0.25, 1.0, Load::largest}) {
    EXPECT_EQ(Load(value).value(), value);
  }
  const struct {
    double value;
    std::string text;
  } cases[] = {{0.0, "0"},
               {-0.5, "-0.5"},
               {Load::largest + 0.5, detail::shortest_decimal(Load::largest + 0.5)},
               {infinity, "inf"},
               {-infinity, "-inf"},
               {std::numeric_limits<double>::quiet_NaN(), "nan"}};
  for (const auto& [value, text] : cases) {
    const std::string message =
        test::message_of<InvalidArgument>([value = value] { (void)Load(value); });
    EXPECT_EQ(message, name + " " + text + " is not in " + range);
  }
}

TEST(LoadFactor, IsAShareOfSlots) { expect_range<LoadFactor>("load factor", "(0, 1]"); }

TEST(RowsPerBucket, MayBeAboveOne) { expect_range<RowsPerBucket>("rows per bucket", "(0, 1024]"); }

TEST(LoadFactor, BucketsAreTheQuotientRoundedUp) {
  EXPECT_EQ(LoadFactor(0.5).buckets_for(0, 16).value(), 1U);
  EXPECT_EQ(LoadFactor(0.5).buckets_for(8, 16).value(), 1U);
  EXPECT_EQ(LoadFactor(0.5).buckets_for(9, 16).value(), 2U);
  EXPECT_EQ(LoadFactor(1).buckets_for(9, 1).value(), 9U);
  EXPECT_EQ(LoadFactor(0.875).buckets_for(14'001, 16).value(), 1001U);
}

TEST(RowsPerBucket, BucketsAreTheQuotientRoundedUp) {
  EXPECT_EQ(RowsPerBucket(1).buckets_for(0).value(), 1U);
  EXPECT_EQ(RowsPerBucket(1).buckets_for(7).value(), 7U);
  EXPECT_EQ(RowsPerBucket(0.25).buckets_for(7).value(), 28U);
  EXPECT_EQ(RowsPerBucket(16).buckets_for(1).value(), 1U);
  EXPECT_EQ(RowsPerBucket(16).buckets_for(16).value(), 1U);
  EXPECT_EQ(RowsPerBucket(16).buckets_for(17).value(), 2U);
  EXPECT_EQ(RowsPerBucket(3).buckets_for(10).value(), 4U);
  EXPECT_EQ(RowsPerBucket(1).buckets_for(std::uint64_t{1} << 40).value(), std::uint64_t{1} << 40);
}

TEST(RowsPerBucket, BucketsAboveTheLimitAreRefused) {
  const std::uint64_t limit = BucketCount::largest;
  EXPECT_EQ(limit, std::uint64_t{1} << 40);
  try {
    (void)RowsPerBucket(0.25).buckets_for(limit);
    FAIL() << "no exception";
  } catch (const CapacityError& error) {
    EXPECT_EQ(error.needed(), 4 * limit);
    EXPECT_EQ(error.available(), limit);
    EXPECT_TRUE(contains(error.what(), std::to_string(limit) + " entries")) << error.what();
    EXPECT_TRUE(contains(error.what(), "0.25 per bucket")) << error.what();
  }
  EXPECT_THROW((void)RowsPerBucket(1).buckets_for(limit + 1), CapacityError);
  EXPECT_THROW((void)RowsPerBucket(1e-300).buckets_for(1), CapacityError);
  EXPECT_THROW((void)RowsPerBucket(std::numeric_limits<double>::denorm_min()).buckets_for(~0ULL),
               CapacityError);
  EXPECT_EQ(RowsPerBucket(1e-300).buckets_for(0).value(), 1U);
}

TEST(LoadFactor, BucketsAboveTheLimitAreRefused) {
  const std::uint64_t limit = BucketCount::largest;
  EXPECT_EQ(LoadFactor(1).buckets_for(16 * limit, 16).value(), limit);
  EXPECT_THROW((void)LoadFactor(0.5).buckets_for(16 * limit, 16), CapacityError);
}

template <class Count>
void expect_limits(const std::string& name, std::uint64_t largest) {
  EXPECT_EQ(Count::largest, largest);
  EXPECT_EQ(Count(1).value(), 1U);
  EXPECT_EQ(Count(largest).value(), largest);
  for (const std::uint64_t value : {std::uint64_t{0}, largest + 1, ~std::uint64_t{0}}) {
    const std::string message = test::message_of<InvalidArgument>([value] { (void)Count(value); });
    EXPECT_TRUE(contains(message, name + " " + std::to_string(value) + " ")) << message;
    EXPECT_TRUE(contains(message, "[1, " + std::to_string(largest) + "]")) << message;
  }
}

TEST(Counts, RefuseValuesOutsideTheirLimitsByName) {
  expect_limits<PartCount>("part count", std::uint64_t{1} << 31);
  expect_limits<BinCount>("bin count", std::uint64_t{1} << 31);
  expect_limits<BucketCount>("bucket count", std::uint64_t{1} << 40);
}

}  // namespace
}  // namespace hashmill
