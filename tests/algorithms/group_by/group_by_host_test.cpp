#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/hashmill.hpp>
#include <map>

#include "algorithms/support/inputs.hpp"
#include "algorithms/support/views.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

// How hosts group: by tables of threads, and by parts that carry keys and values.

using Host = Kokkos::DefaultHostExecutionSpace;

template <class Value>
using HostView = Kokkos::View<Value*, Kokkos::HostSpace>;

template <class Value>
HostView<Value> host_view(const Numbers& numbers) {
  HostView<Value> view("hashmill::test::host", numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) view(i) = static_cast<Value>(numbers[i]);
  return view;
}

struct Expected {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t other = 0;
  std::uint64_t first = ~std::uint64_t{0};
  bool operator==(const Expected&) const = default;
};

template <class Key>
using Groups = std::map<Key, Expected>;

/// What std containers make of the rows.
template <class Key, class Value>
Groups<Key> expected_groups(const HostView<Key>& keys, const HostView<Value>& values,
                            const HostView<Value>& others) {
  Groups<Key> groups;
  for (std::size_t i = 0; i < keys.extent(0); ++i) {
    Expected& group = groups[keys(i)];
    if (group.count++ == 0) group.first = values(i);
    group.sum += values(i);
    group.least = std::min<std::uint64_t>(group.least, values(i));
    group.other += others(i);
  }
  return groups;
}

template <class KeyType, class ValueType, class RowType>
struct Case {
  using Key = KeyType;
  using Value = ValueType;
  using Row = RowType;
};

/// Expects groups of keys with count, sum, least and first value, and the sum of another column.
template <class Types>
class GroupByOnHosts : public testing::Test {
 protected:
  using Key = typename Types::Key;
  using Value = typename Types::Value;
  using Row = typename Types::Row;

  static void expect_all(const Numbers& numbers) {
    const auto keys = host_view<Key>(numbers);
    const auto values = host_view<Value>(random_numbers(numbers.size(), 71));
    const auto others = host_view<Value>(random_numbers(numbers.size(), 72));
    const auto expected = expected_groups(keys, values, others);
    // Aggregations of one column, which parts carry, and of two, which they do not.
    const auto one = group_by<Row>(Host(), keys, agg::count(), agg::sum(values), agg::min(values),
                                   agg::first(values));
    expect_groups(expected, keys, one, false);
    const auto two = group_by<Row>(Host(), keys, agg::count(), agg::sum(values), agg::min(values),
                                   agg::first(values), agg::sum(others));
    expect_groups(expected, keys, two, true);
    const auto none = group_by<Row>(Host(), keys, agg::count());
    ASSERT_EQ(none.size(), expected.size());
  }

 private:
  template <class Grouped>
  static void expect_groups(const Groups<Key>& expected, const HostView<Key>& keys,
                            const Grouped& grouped, bool has_other) {
    ASSERT_EQ(grouped.size(), expected.size());
    Groups<Key> actual;
    for (std::uint64_t g = 0; g < grouped.size(); ++g) {
      const Key key = keys(grouped.representatives(g));
      Expected& group = actual[key];
      group.count = std::get<0>(grouped.results).values(g);
      group.sum = std::get<1>(grouped.results).values(g);
      group.least = std::get<2>(grouped.results).values(g);
      group.first = std::get<3>(grouped.results).values(g);
      group.other = expected.at(key).other;
      if constexpr (std::tuple_size_v<decltype(grouped.results)> == 5) {
        group.other = std::get<4>(grouped.results).values(g);
        ASSERT_TRUE(has_other);
      }
    }
    ASSERT_TRUE(actual == expected);
  }
};

// Records of 16 bytes, and of 32, and of 8.
using Cases = SampledTypes<Case<std::uint32_t, std::uint32_t, std::uint32_t>,
                           Case<std::uint64_t, std::uint64_t, std::uint64_t>,
                           Case<std::uint16_t, std::uint8_t, std::uint32_t>>;
TYPED_TEST_SUITE(GroupByOnHosts, Cases);

TYPED_TEST(GroupByOnHosts, GivesWhatStdContainersGive) {
  for (const std::uint64_t count : {0, 1, 2, 127, 128, 129, 3000}) {
    for (const auto& [name, numbers] : every_shape(count, 70)) {
      SCOPED_TRACE(name + ", " + std::to_string(count));
      ASSERT_NO_FATAL_FAILURE(TestFixture::expect_all(numbers));
    }
  }
}

TYPED_TEST(GroupByOnHosts, TakesFewGroupsAndMany) {
  constexpr std::uint64_t rows = 270'000;  // above least_rows_to_partition
  for (const std::uint64_t groups :
       sampled(std::vector<std::uint64_t>{1, 2, 65, 4097, 65'537, rows / 2 + 1, 2 * rows})) {
    SCOPED_TRACE(groups);
    ASSERT_NO_FATAL_FAILURE(TestFixture::expect_all(repeated_numbers(rows, groups, 73)));
  }
  Numbers sorted = repeated_numbers(rows, 200'000, 74);
  std::sort(sorted.begin(), sorted.end());
  ASSERT_NO_FATAL_FAILURE(TestFixture::expect_all(sorted));
  ASSERT_NO_FATAL_FAILURE(TestFixture::expect_all(zipf_numbers(rows, 75)));
}

/// Expects tables of a plan that does not suit the rows to give the right sums all the same.
void expect_planned(const detail::SharePlan& plan, const Numbers& numbers) {
  const auto keys = host_view<std::uint32_t>(numbers);
  const auto values = host_view<std::uint32_t>(random_numbers(numbers.size(), 76));
  std::map<std::uint32_t, std::uint64_t> expected, actual;
  for (std::size_t i = 0; i < numbers.size(); ++i) expected[keys(i)] += values(i);
  const auto folds = detail::list_folds(agg::sum(values), agg::count());
  Workspace<Kokkos::HostSpace> workspace;
  const auto groups = detail::accumulate_host_shares<std::uint32_t, Kokkos::HostSpace>(
      Host(), detail::key_access(keys), folds, Murmur3Hash(), plan, 1, workspace);
  Host().fence();
  ASSERT_EQ(groups.representatives.extent(0), expected.size());
  std::uint64_t rows = 0;
  for (std::size_t g = 0; g < expected.size(); ++g) {
    actual[keys(groups.representatives(g))] = groups.accumulators(g).first.state;
    rows += groups.accumulators(g).rest.first.state;
  }
  EXPECT_EQ(rows, numbers.size());
  ASSERT_TRUE(actual == expected);
}

TEST(GroupByInTables, MergesWhatTablesHaveNoRoomFor) {
  const Numbers many = repeated_numbers(20'000, 5000, 77);
  const Numbers equal = equal_numbers(20'000, 9);
  for (const Numbers& numbers : {many, equal}) {
    expect_planned({.shares = 3, .slots = 64}, numbers);
    expect_planned({.shares = 1, .slots = 1 << 14, .is_far = true}, numbers);
    expect_planned({.shares = 4, .slots = 64, .part_bits = 2}, numbers);
    expect_planned({.shares = 4, .slots = 1 << 13, .part_bits = 2, .is_far = true}, numbers);
  }
}

TEST(HostGroupTable, RefusesKeysBeyondHalfOfItsSlots) {
  using Keys = detail::KeyPointer<std::uint64_t, false>;
  const auto folds = detail::list_folds(agg::count());
  using Group = decltype(folds)::Group;
  using Table = detail::HostGroupTable<Keys, std::uint32_t, Group>;
  constexpr std::uint32_t slots = 64;
  const Kokkos::View<std::byte*, Kokkos::HostSpace> memory("memory", Table::bytes(slots) + 64);
  const auto begin = (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64;
  Table table(reinterpret_cast<void*>(begin), slots, folds, Murmur3Hash());
  const Keys keys{nullptr, 0, 1};
  for (std::uint64_t key = 0; key < slots / 2; ++key) {
    EXPECT_EQ(table.find_or_add(keys, table.slot_of(key), key, 7, slots, folds), key + 1);
  }
  EXPECT_EQ(table.find_or_add(keys, table.slot_of(99), 99, 7, slots, folds), 0U);
  EXPECT_EQ(table.find_or_add(keys, table.slot_of(3), 3, 8, slots, folds), 4U);
  EXPECT_EQ(table.size(), slots / 2);
  EXPECT_EQ(table[3].key, 3U);
  EXPECT_EQ(table[3].row, 7U);
  const std::uint64_t zero = 0;  // what an empty slot's entry has as key is no group
  EXPECT_FALSE(table.is_group(0, zero, keys));
  EXPECT_TRUE(table.is_group(1, zero, keys));
}

/// Expects the number of keys to be estimated within a factor.
void expect_estimate(const Numbers& numbers, double factor) {
  Numbers sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  const auto different =
      static_cast<double>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  Workspace<Kokkos::HostSpace> workspace;
  const auto estimate = static_cast<double>(detail::estimate_groups(
      Host(), detail::key_access(host_view<std::uint64_t>(numbers)), Murmur3Hash(), workspace));
  EXPECT_LE(estimate, different * factor + 1);
  EXPECT_GE(estimate, different / factor);
}

TEST(EstimateKeys, IsNearForEvenKeysAndRareOnes) {
  constexpr std::uint64_t rows = 1'000'000;  // sampled: every 15th
  for (const std::uint64_t groups : {1, 2, 1000, 30'000, 400'000}) {
    SCOPED_TRACE(groups);
    expect_estimate(repeated_numbers(rows, groups, 78), 1.1);
  }
  expect_estimate(sequential_numbers(rows), 1.1);
  expect_estimate(zipf_numbers(rows, 79), 1.5);
  Numbers rare = random_numbers(rows, 80);
  for (auto& number : rare) number = number % 10 == 0 ? number : 42;
  expect_estimate(rare, 1.5);
  expect_estimate(sequential_numbers(3), 1.5);
}

}  // namespace
}  // namespace hashmill::test
