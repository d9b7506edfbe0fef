#include <gtest/gtest.h>

#include <hashmill/intersect.hpp>
#include <map>

#include "algorithms/support/hashes.hpp"
#include "algorithms/support/keys.hpp"

namespace hashmill::test {
namespace {

// Probe-New of queries that are in no table yet, whose runs of equal neighbours it may merge.

using Key = std::uint32_t;
using Keys = Kokkos::View<const Key*, Memory>;

Keys device_keys(const Numbers& numbers) {
  return to_device(std::vector<Key>(numbers.begin(), numbers.end()));
}

/// `runs` runs of `length` equal keys each, whose numbers lie `step` apart.
Numbers clustered_numbers(std::uint64_t runs, std::uint64_t length, std::uint64_t step = 1) {
  Numbers numbers;
  for (std::uint64_t r = 0; r < runs; ++r) numbers.insert(numbers.end(), length, r * step);
  return numbers;
}

std::uint64_t expected_pairs(const Numbers& left, const Numbers& right) {
  std::map<std::uint64_t, std::uint64_t> counts;
  for (const std::uint64_t key : left) ++counts[key];
  std::uint64_t pairs = 0;
  for (const std::uint64_t key : right) {
    if (const auto found = counts.find(key); found != counts.end()) pairs += found->second;
  }
  return pairs;
}

template <class Layout = KeyRow<std::uint32_t>, class Hash = Murmur3Hash>
void expect_pairs(const Numbers& left, const Numbers& right, const HashGraphOptions& options = {}) {
  const HashGraph<Key, Memory, Layout, Hash> table(Exec(), device_keys(left), options);
  Workspace<Memory> workspace;
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(intersect_count(Exec(), device_keys(right), table, workspace),
              expected_pairs(left, right));
  }
}

TEST(KeyRuns, AreCountedAsOftenAsTheyAreLong) {
  const Numbers left = repeated_numbers(5000, 900, 1);
  for (const std::uint64_t length : {1, 2, 3, 8, 31, 32, 33, 100, 5000}) {
    SCOPED_TRACE("runs of " + std::to_string(length));
    expect_pairs(left, clustered_numbers(40'000 / length, length));
    expect_pairs(clustered_numbers(40'000 / length, length), left);
  }
}

TEST(KeyRuns, OfOtherHashesAndLayouts) {
  const Numbers left = repeated_numbers(900, 200, 2), right = clustered_numbers(300, 5);
  expect_pairs<KeyRow<std::uint64_t>, FourBitHash>(left, right);
  expect_pairs<KeyOnly<std::uint32_t>, ConstantHash>(left, right);
  expect_pairs<FingerprintRow<std::uint32_t>>(left, right);
  expect_pairs<PackedRow>(left, right, {.buckets = BucketCount(77)});
}

TEST(KeyRuns, ThatASampleDoesNotShow) {
  // Runs where the sample looks, and none elsewhere; and the other way round.
  const std::uint64_t stride = 4, n = stride << 15;
  Numbers seen(n), unseen(n);
  for (std::uint64_t i = 0; i < n; ++i) {
    const bool sampled = i / 32 % stride == 0;
    seen[i] = sampled ? i / 32 : i;
    unseen[i] = sampled ? i : i / 32;
  }
  const Numbers left = sequential_numbers(10'000);
  expect_pairs(left, seen);
  expect_pairs(left, unseen);
}

TEST(KeyRuns, OfNoneOrFewQueries) {
  const Numbers left = sequential_numbers(100);
  for (const std::uint64_t n : {0, 1, 2, 31, 33}) expect_pairs(left, equal_numbers(n, 7));
  expect_pairs({}, equal_numbers(40, 7));
}

}  // namespace
}  // namespace hashmill::test
