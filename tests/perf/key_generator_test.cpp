#include "keys/key_generator.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hashmill/key.hpp>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace hashmill::perf {
namespace {

/// A key as something that std containers can order.
template <class Key>
auto ordered(const Key& key) {
  if constexpr (sizeof(Key) == 16) {
    return std::pair(key.high, key.low);
  } else {
    return key;
  }
}

template <class Source>
auto on_host(const Source& source) {
  const auto keys = materialise(Kokkos::DefaultExecutionSpace(), source);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), keys);
  std::vector<decltype(ordered(host(0)))> result;
  for (std::uint64_t i = 0; i < host.size(); ++i) result.push_back(ordered(host(i)));
  return result;
}

template <class Value>
std::map<Value, std::uint64_t> occurrences(const std::vector<Value>& values) {
  std::map<Value, std::uint64_t> counts;
  for (const Value& value : values) ++counts[value];
  return counts;
}

TEST(BitPermutation, IsABijectionWithItsInverse) {
  for (unsigned bits = 1; bits <= 12; ++bits) {
    const BitPermutation permutation(bits, 17 + bits);
    std::set<std::uint64_t> images;
    for (std::uint64_t value = 0; value < (std::uint64_t{1} << bits); ++value) {
      const std::uint64_t image = permutation(value);
      EXPECT_LT(image, std::uint64_t{1} << bits);
      EXPECT_EQ(permutation.inverse(image), value);
      images.insert(image);
    }
    EXPECT_EQ(images.size(), std::uint64_t{1} << bits);
  }
  const BitPermutation wide(64, 3);
  for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    EXPECT_EQ(wide.inverse(wide(value)), value);
  }
}

TEST(IndexPermutation, IsABijectionOfItsRange) {
  for (const std::uint64_t size : {1, 2, 3, 5, 64, 65, 1000, 4097}) {
    const IndexPermutation permutation(size, 5);
    std::vector<bool> seen(size, false);
    for (std::uint64_t i = 0; i < size; ++i) {
      const std::uint64_t image = permutation(i);
      ASSERT_LT(image, size);
      EXPECT_FALSE(seen[image]);
      seen[image] = true;
      EXPECT_EQ(permutation.inverse(image), i);
    }
  }
}

TEST(IndexPermutation, Shuffles) {
  const std::uint64_t size = 100000;
  const IndexPermutation permutation(size, 1);
  std::uint64_t ascents = 0;
  double distance = 0;
  for (std::uint64_t i = 0; i + 1 < size; ++i) {
    ascents += permutation(i) < permutation(i + 1) ? 1 : 0;
    distance += std::abs(static_cast<double>(permutation(i)) - static_cast<double>(i));
  }
  EXPECT_NEAR(static_cast<double>(ascents) / static_cast<double>(size), 0.5, 0.05);
  EXPECT_NEAR(distance / static_cast<double>(size) / static_cast<double>(size), 1.0 / 3, 0.05);
}

template <class Key>
class GeneratedKeys : public testing::Test {};
using KeyTypes = testing::Types<std::uint32_t, std::uint64_t, Key128>;
TYPED_TEST_SUITE(GeneratedKeys, KeyTypes);

TYPED_TEST(GeneratedKeys, EachOccursExactlyAsOftenAsAsked) {
  for (const KeyOrder order : {KeyOrder::sequential, KeyOrder::random}) {
    for (const std::uint64_t multiplicity : {1, 3, 8}) {
      const std::uint64_t num_keys = 1001;
      const KeyDistribution wanted{num_keys, static_cast<double>(multiplicity), order, 1.0, 9};
      const auto counts = occurrences(on_host(EvenKeys<TypeParam>(wanted)));
      EXPECT_EQ(counts.size(), wanted.num_distinct());
      std::uint64_t less_often = 0;
      for (const auto& [key, count] : counts) less_often += count != multiplicity ? 1 : 0;
      EXPECT_EQ(less_often, num_keys % multiplicity == 0 ? 0 : 1);
    }
  }
}

TYPED_TEST(GeneratedKeys, OccurNoMoreOftenThanThereAreRows) {
  for (const double multiplicity : {1000.0, 1001.0, 0x1.0p40, 1e300}) {
    const KeyDistribution wanted{1000, multiplicity, KeyOrder::random, 1.0, 9};
    EXPECT_EQ(wanted.num_distinct(), 1u);
    EXPECT_EQ(occurrences(on_host(EvenKeys<TypeParam>(wanted))).size(), 1u);
  }
}

/// Of keys drawn m times on average, a share of e^-m of all values is drawn never, m e^-m once.
TYPED_TEST(GeneratedKeys, AreDrawnWithReplacement) {
  constexpr std::uint64_t num_keys = 100'000;
  for (const double mean : {0.5, 1.0, 4.0}) {
    const KeyDistribution wanted{num_keys, mean, KeyOrder::drawn, 1.0, 9};
    const auto counts = occurrences(on_host(DrawnKeys<TypeParam>(wanted)));
    const double num_values = num_keys / mean;
    EXPECT_EQ(wanted.num_distinct(), static_cast<std::uint64_t>(num_values));
    std::uint64_t once = 0;
    for (const auto& [key, count] : counts) once += count == 1 ? 1 : 0;
    const double never = std::exp(-mean);
    EXPECT_NEAR(static_cast<double>(counts.size()) / num_values, 1 - never, 0.01);
    EXPECT_NEAR(static_cast<double>(once) / num_values, mean * never, 0.01);
  }
}

TYPED_TEST(GeneratedKeys, KnowTheRowsOfEachIdentity) {
  const EvenKeys<TypeParam> keys(KeyDistribution{1000, 7, KeyOrder::random, 1.0, 2});
  std::uint64_t num_rows = 0;
  for (std::uint64_t identity = 0; identity < keys.num_distinct(); ++identity) {
    for (std::uint64_t i = 0; i < keys.num_rows(identity); ++i, ++num_rows) {
      EXPECT_EQ(keys(keys.row_of(identity, i)), keys.key_of(identity));
    }
  }
  EXPECT_EQ(num_rows, keys.size());
  EXPECT_EQ(keys.num_rows(keys.num_distinct()), 0u);
}

TYPED_TEST(GeneratedKeys, DependOnTheSeedAlone) {
  const KeyDistribution one{500, 1, KeyOrder::random, 1.0, 1};
  const KeyDistribution two{500, 1, KeyOrder::random, 1.0, 2};
  EXPECT_EQ(on_host(EvenKeys<TypeParam>(one)), on_host(EvenKeys<TypeParam>(one)));
  EXPECT_NE(on_host(EvenKeys<TypeParam>(one)), on_host(EvenKeys<TypeParam>(two)));
}

TYPED_TEST(GeneratedKeys, AreHitByTheAskedShareOfQueriesAndMissedByTheOthers) {
  for (const KeyOrder order : {KeyOrder::sequential, KeyOrder::random}) {
    for (const double hit_rate : {0.0, 0.25, 1.0}) {
      const KeyDistribution wanted{1200, 4, order, 1.0, 3};
      const auto keys = on_host(EvenKeys<TypeParam>(wanted));
      const GeneratedQueries<TypeParam> source(wanted, 2000, hit_rate);
      const auto queries = on_host(source);
      const std::set present(keys.begin(), keys.end());
      std::uint64_t num_hits = 0;
      for (std::uint64_t i = 0; i < queries.size(); ++i) {
        const bool is_hit = present.contains(queries[i]);
        EXPECT_EQ(is_hit, source.identity_of(i) < wanted.num_distinct());
        num_hits += is_hit ? 1 : 0;
      }
      EXPECT_EQ(num_hits, static_cast<std::uint64_t>(hit_rate * 2000));
      EXPECT_EQ(num_hits, source.num_hits());
    }
  }
}

TEST(GeneratedQueries, AskForEachKeyEquallyOften) {
  const KeyDistribution wanted{1000, 10, KeyOrder::random, 1.0, 3};
  const auto counts = occurrences(on_host(GeneratedQueries<std::uint32_t>(wanted, 1000, 1.0)));
  EXPECT_EQ(counts.size(), 100u);
  for (const auto& [key, count] : counts) EXPECT_EQ(count, 10u);
}

TEST(GeneratedQueries, WithASkewAskForTheFirstKeyMostOftenAndMissAsTheOthers) {
  const KeyDistribution wanted{100000, 1, KeyOrder::random, 1.0, 4};
  const GeneratedQueries<std::uint32_t> source(wanted, 100000, 0.5, 1.0);
  const auto counts = occurrences(on_host(source));
  std::uint64_t num_hits = 0;
  for (std::uint64_t i = 0; i < source.size(); ++i)
    num_hits += source.identity_of(i) < wanted.num_distinct() ? 1 : 0;
  EXPECT_EQ(num_hits, 50000u);
  const std::uint32_t first = EvenKeys<std::uint32_t>(wanted).key_of(0);
  const double share = 1 / (std::log(100000.0) + 0.5772);
  EXPECT_NEAR(static_cast<double>(counts.at(first)), 50000 * share, 400);
}

TEST(GeneratedQueries, AskForOneKeyInAShareOfTheHits) {
  const KeyDistribution wanted{10000, 1, KeyOrder::random, 1.0, 4};
  for (const double skew : {0.0, 1.0}) {
    const GeneratedQueries<std::uint64_t> source(wanted, 10000, 0.8, skew, 0.5);
    const auto counts = occurrences(on_host(source));
    std::uint64_t num_hits = 0;
    for (std::uint64_t i = 0; i < source.size(); ++i) {
      num_hits += source.identity_of(i) < wanted.num_distinct() ? 1 : 0;
    }
    EXPECT_EQ(num_hits, 8000U);
    const std::uint64_t first = EvenKeys<std::uint64_t>(wanted).key_of(0);
    EXPECT_GE(counts.at(first), 4000U);
    EXPECT_LE(counts.at(first), skew == 0 ? 4001U : 5000U);
  }
}

TEST(DenseKeys, AreTheFirstNumbersShuffled) {
  const KeyDistribution wanted{1000, 2, KeyOrder::dense, 1.0, 1};
  auto keys = on_host(EvenKeys<std::uint32_t>(wanted));
  EXPECT_FALSE(std::is_sorted(keys.begin(), keys.end()));
  std::sort(keys.begin(), keys.end());
  for (std::uint32_t i = 0; i < keys.size(); ++i) EXPECT_EQ(keys[i], i / 2);
}

TEST(SequentialKeys, Ascend) {
  const KeyDistribution wanted{100, 2, KeyOrder::sequential, 1.0, 1};
  const auto keys = on_host(EvenKeys<std::uint32_t>(wanted));
  for (std::uint32_t i = 0; i < keys.size(); ++i) EXPECT_EQ(keys[i], i / 2);
}

TEST(ZipfDistribution, HasTheFrequenciesOfTheLaw) {
  for (const double exponent : {0.5, 1.0, 1.25, 2.0}) {
    const std::uint64_t num_ranks = 100;
    const std::uint64_t num_draws = 200000;
    const ZipfDistribution zipf(num_ranks, exponent);
    std::vector<double> counts(num_ranks + 1, 0);
    for (std::uint64_t i = 0; i < num_draws; ++i) {
      const std::uint64_t rank = zipf(splitmix64(i));
      ASSERT_GE(rank, 1u);
      ASSERT_LE(rank, num_ranks);
      ++counts[rank];
    }
    double norm = 0;
    for (std::uint64_t rank = 1; rank <= num_ranks; ++rank) {
      norm += std::pow(static_cast<double>(rank), -exponent);
    }
    for (std::uint64_t rank = 1; rank <= num_ranks; ++rank) {
      const double expected =
          static_cast<double>(num_draws) * std::pow(static_cast<double>(rank), -exponent) / norm;
      EXPECT_NEAR(counts[rank], expected, 5 * std::sqrt(expected) + 1) << exponent << " " << rank;
    }
  }
}

TEST(ZipfDistribution, OfOneRankIsConstant) {
  const ZipfDistribution zipf(1, 1.0);
  for (std::uint64_t i = 0; i < 100; ++i) EXPECT_EQ(zipf(i), 1u);
}

TEST(ZipfKeys, AreSkewed) {
  const KeyDistribution wanted{100000, 1, KeyOrder::zipf, 1.0, 4};
  const auto counts = occurrences(on_host(ZipfKeys<std::uint64_t>(wanted)));
  std::uint64_t most = 0;
  for (const auto& [key, count] : counts) most = std::max(most, count);
  const double share = 1 / (std::log(100000.0) + 0.5772);
  EXPECT_NEAR(static_cast<double>(most), 100000 * share, 500);
}

}  // namespace
}  // namespace hashmill::perf
