#include "group_by/group_keys.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "group_by/expected_groups.hpp"

namespace hashmill::perf {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

DataAxes rows_of(std::uint64_t num_rows, std::uint64_t num_groups, double skew = 0,
                 KeyOrder order = KeyOrder::random) {
  DataAxes data;
  data.num_keys = num_rows;
  data.num_groups = num_groups;
  data.skew = skew;
  data.order = order;
  return data;
}

TEST(GroupKeys, HaveTheAskedNumberOfGroupsOfEqualSize) {
  for (const KeyOrder order : {KeyOrder::random, KeyOrder::dense, KeyOrder::sequential}) {
    for (const std::uint64_t num_groups : {1, 2, 3, 700, 999, 1000}) {
      const GroupKeys<std::uint32_t> source(rows_of(1000, num_groups, 0, order));
      std::map<std::uint32_t, std::uint64_t> sizes;
      for (std::uint64_t row = 0; row < 1000; ++row) ++sizes[source(row)];
      EXPECT_EQ(sizes.size(), num_groups);
      for (const auto& [key, size] : sizes) {
        EXPECT_GE(size, 1000 / num_groups);
        EXPECT_LE(size, 1000 / num_groups + 1);
      }
    }
  }
}

TEST(GroupKeys, WithASkewAreDrawnFromTheGroups) {
  const GroupKeys<std::uint64_t> source(rows_of(10000, 50, 1.0));
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (std::uint64_t row = 0; row < 10000; ++row) {
    ASSERT_LT(source.group_of(row), 50u);
    EXPECT_EQ(source(row), source.key_of(source.group_of(row)));
    ++sizes[source.group_of(row)];
  }
  EXPECT_GT(sizes[0], 1800u);
  EXPECT_LT(sizes[49], 200u);
}

/// The groups as a map gives them, faults by a mean that is off by `error`.
Tally groups_by_map(const GroupKeys<std::uint32_t>& source, Aggregates aggregates, double error) {
  std::map<std::uint32_t, GroupResult> groups;
  for (std::uint64_t row = 0; row < source.size(); ++row) {
    GroupResult& group = groups[source(row)];
    ++group.count;
    group.sum += value_of(row);
    group.least = std::min(group.least, value_of(row));
    group.greatest = std::max(group.greatest, value_of(row));
  }
  Tally all;
  for (auto& [key, group] : groups) {
    group.mean = static_cast<double>(group.sum) / static_cast<double>(group.count) + error;
    add_group(key, group, aggregates, all);
  }
  return all;
}

TEST(ExpectedGroups, AgreeWithAMap) {
  const Exec exec;
  for (const Aggregates set : {Aggregates::count, Aggregates::sum, Aggregates::all}) {
    for (const double skew : {0.0, 1.5}) {
      for (const std::uint64_t num_groups : {1, 2, 300, 5000}) {
        const GroupKeys<std::uint32_t> source(rows_of(5000, num_groups, skew));
        EXPECT_EQ(compare_groups(expected_groups(exec, source, set), groups_by_map(source, set, 0)),
                  "");
      }
    }
  }
}

TEST(ExpectedGroups, AreToldFromWrongOnes) {
  const Exec exec;
  const GroupKeys<std::uint32_t> source(rows_of(5000, 300));
  const GroupKeys<std::uint32_t> fewer(rows_of(5000, 299));
  const Tally expected = expected_groups(exec, source, Aggregates::all);
  EXPECT_EQ(compare_groups(expected, groups_by_map(fewer, Aggregates::all, 0)),
            "299 groups, expected 300");
  EXPECT_EQ(compare_groups(expected, groups_by_map(source, Aggregates::all, 1)),
            "300 means are wrong");
  EXPECT_EQ(compare_groups(expected, groups_by_map(source, Aggregates::sum, 0)),
            "the checksum of 300 groups is wrong");
}

}  // namespace
}  // namespace hashmill::perf
