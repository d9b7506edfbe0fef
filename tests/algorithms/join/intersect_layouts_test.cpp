#include <gtest/gtest.h>

#include <hashmill/intersect.hpp>

#include "algorithms/support/keys.hpp"

namespace hashmill::test {
namespace {

// Tables of different layouts and row widths over one hash range.

using Key = std::uint32_t;
using Keys = Kokkos::View<const Key*, Memory>;

template <class Layout>
using Table = HashGraph<Key, Memory, Layout>;

constexpr HashGraphOptions options{.buckets = BucketCount(300)};

Keys device_keys(const Numbers& numbers) {
  return to_device(std::vector<Key>(numbers.begin(), numbers.end()));
}

/// Expects the pairs of two tables with rows, both ways round.
template <class LayoutA, class LayoutB>
void expect_pairs() {
  const Numbers left = repeated_numbers(900, 200, 1), right = repeated_numbers(700, 250, 2);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
  for (std::uint64_t i = 0; i < left.size(); ++i) {
    for (std::uint64_t j = 0; j < right.size(); ++j) {
      if (left[i] == right[j]) expected.emplace_back(i, j);
    }
  }
  const Table<LayoutA> a(Exec(), device_keys(left), options);
  const Table<LayoutB> b(Exec(), device_keys(right), options);
  EXPECT_EQ(intersect_count(Exec(), a, b), expected.size());
  const auto pairs = intersect(Exec(), a, b);
  const auto rows_a = to_wide_host(pairs.left), rows_b = to_wide_host(pairs.right);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for (std::uint64_t i = 0; i < pairs.size(); ++i) found.emplace_back(rows_a[i], rows_b[i]);
  std::sort(found.begin(), found.end());
  EXPECT_TRUE(found == expected);
}

TEST(IntersectLayouts, KeysAndFingerprints) {
  expect_pairs<KeyRow<std::uint32_t>, FingerprintRow<std::uint64_t>>();
  expect_pairs<FingerprintRow<std::uint64_t>, KeyRow<std::uint32_t>>();
}

TEST(IntersectLayouts, KeysWithoutRowsAreCounted) {
  const Table<KeyOnly<std::uint64_t>> a(Exec(), device_keys(repeated_numbers(500, 9, 3)), options);
  const Table<KeyRow<std::uint32_t>> b(Exec(), device_keys(sequential_numbers(9)), options);
  EXPECT_EQ(intersect_count(Exec(), a, b), 500U);
  EXPECT_EQ(intersect_count(Exec(), b, a), 500U);
}

}  // namespace
}  // namespace hashmill::test
