#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>
#include <map>
#include <set>
#include <unordered_map>

#include "algorithms/join/join_fixture.hpp"

namespace hashmill::test {
namespace {

/// Numbers as keys in a contiguous view, whose type the instances are of.
template <class Key>
class Instances : public testing::Test {
 protected:
  static Kokkos::View<const Key*, Memory> keys(const Numbers& numbers) {
    return to_device(std::vector<Key>(numbers.begin(), numbers.end()));
  }
};

using Keys = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Instances, Keys);

TYPED_TEST(Instances, JoinSides) {
  const Numbers left = repeated_numbers(3000, 900, 1), right = random_numbers(2000, 2);
  Numbers both = right;
  both.insert(both.end(), left.begin(), left.begin() + 500);
  for (const JoinKind kind : every_kind) {
    EXPECT_TRUE(sorted_pairs(hash_join(Exec(), kind, this->keys(left), this->keys(both))) ==
                expected_pairs<TypeParam>(kind, left, both, EveryPair{}));
  }
}

TYPED_TEST(Instances, BuildHashGraphs) {
  const Numbers numbers = repeated_numbers(5000, 1200, 3);
  std::map<TypeParam, std::uint64_t> expected;
  for (const std::uint64_t number : numbers) ++expected[static_cast<TypeParam>(number)];
  const HashGraph<TypeParam, Memory> table(Exec(), this->keys(numbers));
  EXPECT_EQ(table.size(), numbers.size());
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test::counts", numbers.size());
  table.count(Exec(), this->keys(numbers), counts);
  const auto found = to_host(counts);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(found[i], expected[static_cast<TypeParam>(numbers[i])]);
  }
}

TYPED_TEST(Instances, GroupRows) {
  for (const std::uint64_t range : {50, 4000, 1'000'000'000}) {
    const Numbers numbers = repeated_numbers(5000, range, 4);
    const std::set<TypeParam> different(numbers.begin(), numbers.end());
    const auto groups = group_by(Exec(), this->keys(numbers), agg::count());
    EXPECT_EQ(groups.size(), different.size());
    EXPECT_EQ(group_rows(Exec(), this->keys(numbers)).size(), different.size());
  }
}

/// Expects the sums of a group-by to be those of a map. Values are below 2^16, so that each sum is
/// a number of every type.
template <class Value, class Key>
void expect_sums(const Kokkos::View<const Key*, Memory>& keys, const Numbers& numbers) {
  const auto n = static_cast<std::uint64_t>(numbers.size());
  std::vector<Value> values(n);
  std::unordered_map<Key, double> expected, actual;
  for (std::uint64_t i = 0; i < n; ++i) {
    values[i] = static_cast<Value>(i % 65'536);
    expected[static_cast<Key>(numbers[i])] += static_cast<double>(i % 65'536);
  }
  const auto found = group_by(Exec(), keys, agg::sum(to_device(values)));
  const Kokkos::View<Key*, Memory> found_keys("hashmill::test::keys", found.size());
  gather(Exec(), keys, found.representatives, found_keys);
  const auto key = to_host(found_keys);
  const auto sum = to_host(std::get<0>(found.results).values);
  for (std::uint64_t g = 0; g < found.size(); ++g) actual[key[g]] = static_cast<double>(sum[g]);
  EXPECT_TRUE(actual == expected);
}

/// Few groups, and enough for rows to be partitioned, with values of all sizes. The records that
/// are partitioned carry these as bits.
TYPED_TEST(Instances, SumGroups) {
  for (const std::uint64_t range : {60, 1'000'000'000}) {
    SCOPED_TRACE(range);
    const Numbers numbers = repeated_numbers(270'000, range, 5);
    const auto keys = this->keys(numbers);
    ASSERT_NO_FATAL_FAILURE(expect_sums<std::uint16_t>(keys, numbers));
    ASSERT_NO_FATAL_FAILURE(expect_sums<std::int32_t>(keys, numbers));
    ASSERT_NO_FATAL_FAILURE(expect_sums<float>(keys, numbers));
    ASSERT_NO_FATAL_FAILURE(expect_sums<std::uint64_t>(keys, numbers));
    ASSERT_NO_FATAL_FAILURE(expect_sums<double>(keys, numbers));
  }
}

}  // namespace
}  // namespace hashmill::test
