#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>
#include <map>
#include <set>

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

}  // namespace
}  // namespace hashmill::test
