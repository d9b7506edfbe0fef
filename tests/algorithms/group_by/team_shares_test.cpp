#include <gtest/gtest.h>

#include <map>

#include "algorithms/group_by/team_groups.hpp"
#include "algorithms/support/inputs.hpp"

// The team engine of group-bys, also on hosts, where a team is one thread.

namespace hashmill::test {
namespace {

struct Sum {
  std::uint64_t sum = 0, count = 0;
  friend bool operator==(const Sum&, const Sum&) = default;
};

/// Keys, some of which are all ones.
template <class Key>
std::vector<Key> keys_of(const Numbers& numbers) {
  std::vector<Key> keys;
  for (const std::uint64_t number : numbers) {
    keys.push_back(number % 5 == 0 ? static_cast<Key>(~std::uint64_t{0})
                                   : static_cast<Key>(number));
  }
  return keys;
}

/// Expects the groups that std::map has.
template <class Key>
void expect_groups(const Numbers& numbers, const detail::SharePlan& plan) {
  const std::vector<Key> keys = keys_of<Key>(numbers);
  std::map<Key, Sum> expected;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    expected[keys[i]].sum += numbers[i];
    ++expected[keys[i]].count;
  }
  const auto device_keys = to_device(keys);
  const auto values = to_device(numbers);
  const auto folds = detail::list_folds(agg::sum(values), agg::count());
  Workspace<Memory> workspace;
  const Workspace<Memory>::Frame frame(workspace);
  const auto grouped = group_in_teams(device_keys, folds, plan, workspace);
  const auto results = detail::collect<Memory>(Exec(), folds, grouped.accumulators);
  Exec().fence();
  const auto rows = to_host(grouped.representatives);
  const auto sums = to_host(std::get<0>(results).values);
  const auto counts = to_host(std::get<1>(results).values);
  std::map<Key, Sum> found;
  for (std::size_t g = 0; g < rows.size(); ++g) found[keys.at(rows[g])] = {sums[g], counts[g]};
  EXPECT_EQ(rows.size(), expected.size());
  EXPECT_EQ(found, expected);
}

template <class Key>
class TeamShares : public ::testing::Test {};
using Keys = ::testing::Types<std::uint8_t, std::int32_t, std::uint32_t, std::int64_t, double>;
TYPED_TEST_SUITE(TeamShares, Keys);

TYPED_TEST(TeamShares, GroupAllRows) {
  for (const std::uint64_t shares : {1, 3}) {
    for (const std::uint32_t slots : {64, 333}) {
      for (const std::uint32_t tables : {1, 3}) {
        expect_groups<TypeParam>(repeated_numbers(20'000, 40, 1), {shares, slots, tables});
      }
    }
  }
  expect_groups<TypeParam>({}, {1, 64});
}

/// Rows without room are grouped with the groups of all teams.
TYPED_TEST(TeamShares, SpillWhatHasNoRoom) {
  expect_groups<TypeParam>(repeated_numbers(20'000, 900, 2), {3, 65, 2});
  expect_groups<TypeParam>(random_numbers(5'000, 3), {1, 64});
}

TYPED_TEST(TeamShares, GroupPartitionedRows) {
  if constexpr (detail::fits_slot<TypeParam>) {
    for (const unsigned bits : {1U, 4U}) {
      const std::uint64_t parts = std::uint64_t{1} << bits;
      expect_groups<TypeParam>(repeated_numbers(20'000, 500, 4), {parts, 700, 1, bits});
      expect_groups<TypeParam>(random_numbers(3'000, 5), {parts, 100, 1, bits});  // spills
    }
  }
}

/// Sums carry from the lower half to the upper one.
TEST(TeamShares64, AddNumbersOf64Bits) {
  Numbers numbers = random_numbers(10'000, 6);
  for (std::uint64_t& number : numbers) number |= 0xFFFF'FFF0U;
  expect_groups<std::uint8_t>(numbers, {2, 300});
}

/// Tables may be full to 3/4, so that 1000 groups of a sum and a count fit 40 KiB.
TEST(PlanTeamShares, TakesGroupsThatFit) {
  const auto plan = [](std::uint64_t rows, std::uint64_t groups) {
    return detail::plan_team_shares(1056, rows, groups, 1400);
  };
  EXPECT_EQ(plan(1 << 26, 1000).slots, 1400U);
  EXPECT_EQ(plan(1 << 26, 1000).tables, 1U);
  EXPECT_GT(plan(1 << 26, 1000).shares, 0U);
  EXPECT_EQ(plan(1 << 26, 4).slots, 129U);
  EXPECT_GT(plan(1 << 26, 4).tables, 1U);
  EXPECT_LE(plan(1 << 26, 4).tables, 10U);  // 10 tables of 129 slots fit
  EXPECT_LE(plan(1 << 26, 4).tables * plan(1 << 26, 4).shares, (1U << 26) / (2048 * 4));
  EXPECT_EQ(plan(1 << 26, 1100).shares, 0U);
  EXPECT_EQ(plan(4 * 129 - 1, 1).shares, 0U);
  EXPECT_EQ(plan(4 * 129, 1).shares, 1U);
}

/// Tables of parts are half full at most. There are parts for three of four teams at least.
TEST(PlanTeamParts, FillsTablesToAHalf) {
  const auto bits = [](std::uint64_t rows, std::uint64_t groups) {
    return detail::plan_team_parts(264, rows, groups, 7200).part_bits;
  };
  EXPECT_EQ(bits(1 << 27, 1 << 16), 8U);
  EXPECT_EQ(bits(1 << 27, 3600 << 8), 8U);
  EXPECT_EQ(bits(1 << 27, (3600 << 8) + 1), 9U);
  EXPECT_EQ(bits(1 << 27, 1 << 24), 13U);
  EXPECT_EQ(bits(1 << 20, 1 << 24), 9U);  // there are no more groups than rows
  EXPECT_EQ(detail::plan_team_parts(1, 1000, 1000, 1).part_bits, 10U);
}

}  // namespace
}  // namespace hashmill::test
