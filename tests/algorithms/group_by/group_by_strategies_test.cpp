#include <gtest/gtest.h>

#include <cmath>
#include <hashmill/hashmill.hpp>

#include "algorithms/support/keys.hpp"
#include "batch_groups.hpp"

namespace hashmill::test {
namespace {

template <class Keys, class Source>
void expect_strategy(const std::vector<Keys>& keys, const Source& source, const Values& values,
                     GroupStrategy strategy) {
  const auto grouped = with_summary(values, [&](const auto&... asked) {
    return group_by(Exec(), source, GroupOptions{strategy}, asked...);
  });
  ExpectedSummaries<Keys> expected;
  expected.add(keys, values);
  std::vector<Keys> found;
  for (const std::uint64_t row : to_wide_host(grouped.representatives)) {
    found.push_back(keys.at(row));
  }
  expect_summaries(found, host_summaries(grouped.results), expected);
}

TEST(GroupByStrategies, GiveTheSame) {
  for (const GroupStrategy strategy : {GroupStrategy::automatic, GroupStrategy::hash,
                                       GroupStrategy::dense, GroupStrategy::tag_bucket}) {
    for (const std::uint64_t size : {0, 1, 5000, 70'000}) {
      const NumberBatch batch(repeated_numbers(size, size / 2 + 1, size), size);
      ASSERT_NO_FATAL_FAILURE(
          expect_strategy(batch.keys, batch.device_keys, batch.values, strategy));
      if (strategy == GroupStrategy::dense) continue;
      const RowBatch rows(size, size);
      ASSERT_NO_FATAL_FAILURE(
          expect_strategy(group_keys_of(rows.rows), rows.columns.keys(), rows.values, strategy));
    }
  }
}

TEST(GroupByStrategies, GiveFirstValuesAndVariances) {
  const NumberBatch batch(repeated_numbers(3000, 40, 1), 2);
  const auto by = [&](GroupStrategy strategy) {
    const auto grouped =
        group_by(Exec(), batch.device_keys, GroupOptions{strategy},
                 agg::first(batch.values.nullable()), agg::variance(batch.values.device_ints));
    const auto rows = to_host(grouped.representatives);
    const auto firsts = host_results(std::get<0>(grouped.results));
    const auto variances = host_results(std::get<1>(grouped.results));
    std::map<std::uint32_t, std::pair<std::optional<std::int32_t>, double>> groups;
    for (std::size_t g = 0; g < rows.size(); ++g) {
      groups[batch.keys[rows[g]]] = {firsts[g], std::round(1e6 * variances[g].value())};
    }
    return groups;
  };
  const auto expected = by(GroupStrategy::automatic);
  EXPECT_EQ(expected.size(), 40U);
  EXPECT_EQ(by(GroupStrategy::hash), expected);
  EXPECT_EQ(by(GroupStrategy::dense), expected);
  EXPECT_EQ(by(GroupStrategy::tag_bucket), expected);
}

TEST(GroupByStrategies, RefuseKeysThatTheyCannotTake) {
  const auto wide = to_device(std::vector<Key128>{{1, 2}, {3, 4}});
  const auto numbers = to_device(std::vector<float>{1, 2});
  constexpr GroupOptions tag_bucket{GroupStrategy::tag_bucket}, dense{GroupStrategy::dense};
  EXPECT_THROW((void)group_by(Exec(), wide, tag_bucket, agg::count()), InvalidArgument);
  EXPECT_THROW((void)group_by(Exec(), numbers, dense, agg::count()), InvalidArgument);
  EXPECT_THROW((void)group_by(Exec(), columns(numbers).nans_unequal(), tag_bucket, agg::count()),
               InvalidArgument);
  EXPECT_THROW((void)group_rows(Exec(), numbers, tag_bucket), InvalidArgument);
  EXPECT_EQ(group_by(Exec(), numbers, tag_bucket, agg::count()).size(), 2U);
}

}  // namespace
}  // namespace hashmill::test
