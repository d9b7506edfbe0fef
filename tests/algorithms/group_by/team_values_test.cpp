#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "algorithms/group_by/team_groups.hpp"
#include "algorithms/group_by/values.hpp"
#include "algorithms/support/inputs.hpp"

// The values that the team engine of group-bys adds: from records, which carry those of columns
// without nulls where there is room, or from the columns.

namespace hashmill::test {
namespace {

using Key = std::uint32_t;

/// Numbers as values: of any bits for integers; small integers for floating-point numbers, whose
/// sums are then exact in any order.
template <class Value>
std::vector<Value> values_of(const Numbers& numbers) {
  std::vector<Value> values;
  for (const std::uint64_t number : numbers) {
    if constexpr (std::is_floating_point_v<Value>) {
      values.push_back(static_cast<Value>(number % 2001) - 1000);
    } else {
      values.push_back(static_cast<Value>(number * 0x9E37'79B9'7F4A'7C15));
    }
  }
  return values;
}

/// What the values of a group come to; nothing where none is valid.
template <class Value>
struct Aggregates {
  using SumType = typename detail::SumOp<Value>::result_type;
  std::optional<SumType> sum;
  std::optional<Value> least, greatest, first;
  std::uint64_t count = 0;

  void add(Value value) {
    using Word = std::conditional_t<std::is_floating_point_v<Value>, double, std::uint64_t>;
    sum = static_cast<SumType>(static_cast<Word>(sum.value_or(0)) + static_cast<Word>(value));
    least = std::min(least.value_or(value), value);
    greatest = std::max(greatest.value_or(value), value);
    first = first.value_or(value);
    ++count;
  }
  friend bool operator==(const Aggregates&, const Aggregates&) = default;
};

template <class Value>
using Groups = std::map<Key, Aggregates<Value>>;

/// Rows with their values and whether each is valid.
template <class Value>
struct Input {
  std::vector<Key> keys;
  std::vector<Value> values;
  std::vector<bool> valid;

  /// Every fifth number's key is all ones, which marks free slots of tables.
  explicit Input(const Numbers& numbers) : values(values_of<Value>(numbers)) {
    for (const std::uint64_t number : numbers) {
      keys.push_back(number % 5 == 0 ? ~Key{0} : static_cast<Key>(number));
      valid.push_back(valid.size() % 7 < 4);
    }
  }
  [[nodiscard]] Groups<Value> groups(bool nullable) const {
    Groups<Value> expected;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      auto& group = expected[keys[i]];
      if (!nullable || valid[i]) group.add(values[i]);
    }
    return expected;
  }
  [[nodiscard]] Kokkos::View<std::uint8_t*, Memory> bits() const {
    std::vector<std::uint8_t> bits((keys.size() + 7) / 8);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (valid[i]) bits[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
    }
    return to_device(bits);
  }
};

/// The groups that teams make of rows and a column of values.
template <class Value, class Column>
Groups<Value> grouped(const Input<Value>& input, const Column& column,
                      const detail::SharePlan& plan) {
  const auto folds = detail::list_folds(agg::sum(column), agg::min(column), agg::max(column),
                                        agg::first(column), agg::count(column));
  Workspace<Memory> workspace;
  const Workspace<Memory>::Frame frame(workspace);
  const auto made = group_in_teams(to_device(input.keys), folds, plan, workspace);
  const auto results = detail::collect<Memory>(Exec(), folds, made.accumulators);
  Exec().fence();
  const auto rows = to_host(made.representatives);
  const auto sums = host_results(std::get<0>(results));
  const auto least = host_results(std::get<1>(results)), most = host_results(std::get<2>(results));
  const auto firsts = host_results(std::get<3>(results));
  const auto counts = to_host(std::get<4>(results).values);
  Groups<Value> found;
  for (std::size_t g = 0; g < rows.size(); ++g) {
    found[input.keys.at(rows[g])] = {sums[g], least[g], most[g], firsts[g], counts[g]};
  }
  EXPECT_EQ(rows.size(), found.size());
  return found;
}

template <class Value>
void expect_values(const Numbers& numbers, const detail::SharePlan& plan) {
  const Input<Value> input(numbers);
  const auto values = to_device(input.values);
  EXPECT_TRUE(grouped(input, values, plan) == input.groups(false));
  const auto bits = input.bits();
  const auto nullable = column(values, validity(bits, input.keys.size()));
  EXPECT_TRUE(grouped(input, nullable, plan) == input.groups(true));
}

template <class Value>
class TeamValues : public ::testing::Test {};
using ValueTypes =
    ::testing::Types<std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(TeamValues, ValueTypes);

TYPED_TEST(TeamValues, AreAddedInSlices) {
  expect_values<TypeParam>(repeated_numbers(20'000, 40, 1), {3, 129, 2});
  expect_values<TypeParam>(repeated_numbers(20'000, 900, 2), {3, 65, 2});  // rows are spilled
}

TYPED_TEST(TeamValues, AreAddedInParts) {
  constexpr detail::SharePlan many{32, 380, 1, 5}, two{2, 380, 1, 1};
  expect_values<TypeParam>(repeated_numbers(20'000, 3'000, 3), many);
  expect_values<TypeParam>(zipf_numbers(20'000, 4), many);
  expect_values<TypeParam>(equal_numbers(3'001, 42), two);
  expect_values<TypeParam>(equal_numbers(3'001, 40), two);  // the key of free slots
  expect_values<TypeParam>(sequential_numbers(5'000), many);
}

/// There are more groups than a plan expects.
TYPED_TEST(TeamValues, AreAddedForRowsWithoutRoom) {
  expect_values<TypeParam>(repeated_numbers(20'000, 4'000, 5), {4, 150, 1, 2});
  expect_values<TypeParam>(sequential_numbers(5'000), {2, 200, 1, 1});
}

/// Expects the right groups where values are summed up beside columns of ones, of which the first
/// aggregations are counts and maxima.
template <class... Columns>
void expect_sums(const Input<std::uint32_t>& input, const Columns&... columns) {
  const auto values = to_device(input.values);
  const auto folds = detail::list_folds(agg::count(), agg::sum(values), agg::max(columns)...,
                                        agg::count(), agg::sum(columns)...);
  Workspace<Memory> workspace;
  const Workspace<Memory>::Frame frame(workspace);
  const auto made = group_in_teams(to_device(input.keys), folds, {16, 400, 1, 4}, workspace);
  const auto results = detail::collect<Memory>(Exec(), folds, made.accumulators);
  Exec().fence();
  const auto rows = to_host(made.representatives);
  const auto counts = to_host(std::get<0>(results).values);
  const auto sums = host_results(std::get<1>(results));
  const auto last = to_host(std::get<sizeof...(columns) * 2 + 2>(results).values);
  const auto expected = input.groups(false);
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t g = 0; g < rows.size(); ++g) {
    const auto& group = expected.at(input.keys.at(rows[g]));
    EXPECT_EQ(counts[g], group.count);
    EXPECT_EQ(sums[g], group.sum);
    EXPECT_EQ(static_cast<std::uint64_t>(last[g]), group.count);
  }
}

/// Records of up to 32 bytes carry them; otherwise they are read at their rows.
TEST(TeamValuesOfColumns, AreAddedToTheirOwn) {
  const Input<std::uint32_t> input(repeated_numbers(20'000, 3'000, 6));
  const auto bytes = to_device(std::vector<std::uint8_t>(input.keys.size(), 1));
  const auto doubles = to_device(std::vector<double>(input.keys.size(), 1));
  using Keys = decltype(detail::group_keys(to_device(input.keys)));
  using Narrow = decltype(detail::list_folds(agg::sum(bytes), agg::sum(doubles)));
  using Wide = decltype(detail::list_folds(agg::sum(doubles), agg::sum(doubles), agg::sum(doubles),
                                           agg::sum(bytes)));
  static_assert(detail::can_carry_columns<Keys, std::uint32_t, Narrow>());
  static_assert(!detail::can_carry_columns<Keys, std::uint32_t, Wide>());
  expect_sums(input, bytes);
  expect_sums(input, doubles);
  expect_sums(input, bytes, doubles);
  const auto bits = input.bits();
  const Kokkos::View<std::uint8_t*, Memory> all(bits.label(), bits.size());
  Kokkos::deep_copy(all, 0xFF);
  expect_sums(input, column(doubles, validity(all, input.keys.size())));
}

}  // namespace
}  // namespace hashmill::test
