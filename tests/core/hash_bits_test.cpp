#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <hashmill/hash.hpp>
#include <hashmill/hash_bits.hpp>
#include <vector>

#include "device_values.hpp"

namespace hashmill {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

const std::vector<std::uint64_t> bucket_counts = {1,
                                                  2,
                                                  3,
                                                  7,
                                                  1000,
                                                  1U << 20,
                                                  (std::uint64_t{1} << 31) + 1,
                                                  (std::uint64_t{1} << 32) - 1,
                                                  std::uint64_t{1} << 32,
                                                  (std::uint64_t{1} << 32) + 1,
                                                  std::uint64_t{1'000'000'007} * 997,
                                                  (std::uint64_t{1} << 40) - 1,
                                                  std::uint64_t{1} << 40};

static_assert(bucket_of(0, 1) == 0 && bucket_of(all_ones, 1) == 0);
static_assert(bucket_of(all_ones, std::uint64_t{1} << 40) == (std::uint64_t{1} << 40) - 1);
static_assert(fingerprint_of(0x0123456789ABCDEF) == 0xABCDEF);
static_assert(fingerprint_of(all_ones) == 0xFFFFFF && fingerprint_of(all_ones << 24) == 0);

TEST(BucketOf, IsTheHighHalfOfTheProduct) {
  for (const std::uint64_t count : bucket_counts) {
    for (std::uint64_t i = 0; i < 10000; ++i) {
      // Values near both ends too.
      const std::uint64_t hash = i % 4 == 0 ? i : i % 4 == 1 ? ~i : murmur3_fmix64(i);
      const auto expected = static_cast<std::uint64_t>((Wide{hash} * count) >> 64);
      ASSERT_EQ(bucket_of(hash, count), expected) << hash << ' ' << count;
      ASSERT_EQ(detail::bucket_of_wide(hash, count), expected) << hash << ' ' << count;
      if (count >> 32 == 0) {
        ASSERT_EQ(detail::bucket_of_narrow(hash, static_cast<std::uint32_t>(count)), expected)
            << hash << ' ' << count;
      }
    }
  }
}

TEST(BucketOf, CoversTheRangeAndNoMore) {
  for (const std::uint64_t count : bucket_counts) {
    EXPECT_EQ(bucket_of(0, count), 0U);
    EXPECT_EQ(bucket_of(all_ones, count), count - 1);
  }
}

// The hashes of bucket b start at ceil(b * 2^64 / count): so it is monotone, and even to within
// one.
TEST(BucketOf, SplitsTheHashesEvenlyInOrder) {
  for (const std::uint64_t count : bucket_counts) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const std::uint64_t bucket = bucket_of(murmur3_fmix64(i), count);
      if (bucket == 0) continue;
      const auto first = static_cast<std::uint64_t>(((Wide{bucket} << 64) + count - 1) / count);
      ASSERT_EQ(bucket_of(first, count), bucket) << count;
      ASSERT_EQ(bucket_of(first - 1, count), bucket - 1) << count;
    }
  }
}

TEST(BucketOf, IsMonotone) {
  for (const std::uint64_t count : bucket_counts) {
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i <= 10000; ++i) {
      const std::uint64_t bucket = bucket_of(all_ones / 10000 * i, count);
      ASSERT_GE(bucket, last);
      last = bucket;
    }
  }
}

// Deviation of observed counts from equal ones, in standard deviations of the chi-square statistic.
double deviation(const std::vector<std::uint64_t>& observed, std::uint64_t total) {
  const double expected = static_cast<double>(total) / static_cast<double>(observed.size());
  double chi_square = 0;
  for (const std::uint64_t count : observed) {
    const double difference = static_cast<double>(count) - expected;
    chi_square += difference * difference / expected;
  }
  const auto freedom = static_cast<double>(observed.size() - 1);
  return (chi_square - freedom) / std::sqrt(2 * freedom);
}

template <class Hash>
void expect_uniform(const Hash& hash, std::uint64_t stride) {
  constexpr std::uint64_t keys = 1 << 20;
  for (const std::uint64_t count : {std::uint64_t{256}, std::uint64_t{1000}, std::uint64_t{4099}}) {
    std::vector<std::uint64_t> buckets(count);
    std::vector<std::uint64_t> fingerprints(1 << 8);
    for (std::uint64_t i = 0; i < keys; ++i) {
      const std::uint64_t value = hash(i * stride);
      ++buckets[bucket_of(value, count)];
      ++fingerprints[fingerprint_of(value) >> 16];
    }
    EXPECT_LT(std::abs(deviation(buckets, keys)), 6) << stride << ' ' << count;
    EXPECT_LT(std::abs(deviation(fingerprints, keys)), 6) << stride << ' ' << count;
  }
}

TEST(BucketOf, IsUniformOverRegularKeys) {
  for (const std::uint64_t stride :
       {std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{1} << 40}) {
    expect_uniform(Murmur3Hash{}, stride);
    expect_uniform(Murmur3Hash(Seed(7)), stride);
    expect_uniform(Murmur2Hash{}, stride);
  }
}

// The fingerprint must tell keys of one bucket apart: it is as uniform within a bucket as over all.
TEST(FingerprintOf, IsUniformWithinABucket) {
  std::vector<std::uint64_t> observed(64);
  std::uint64_t total = 0;
  for (std::uint64_t key = 0; total < 20000; ++key) {
    const std::uint64_t hash = Murmur3Hash{}(key);
    if (bucket_of(hash, 100) != 42) continue;
    ++observed[fingerprint_of(hash) >> 18];
    ++total;
  }
  EXPECT_LT(std::abs(deviation(observed, total)), 6);
}

struct BucketAndFingerprint {
  std::uint64_t num_buckets;
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t hash) const {
    return bucket_of(hash, num_buckets) ^ (std::uint64_t{fingerprint_of(hash)} << 40);
  }
};
TEST(HashBits, DeviceAgrees) {
  std::vector<std::uint64_t> hashes{0, 1, all_ones, all_ones - 1};
  for (std::uint64_t i = 0; i < 1000; ++i) hashes.push_back(murmur3_fmix64(i));
  for (const std::uint64_t count : bucket_counts) {
    const BucketAndFingerprint function{count};
    EXPECT_EQ(test::device_values<std::uint64_t>(hashes, function),
              test::host_values<std::uint64_t>(hashes, function));
  }
}

}  // namespace
}  // namespace hashmill
