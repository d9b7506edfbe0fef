#include <array>
#include <cmath>
#include <hashmill/hashmill.hpp>
#include <map>

#include "algorithms/group_by/batch_groups.hpp"
#include "algorithms/support/keys.hpp"
#include "fuzz_step.hpp"

namespace hashmill::test {
namespace {

/// What the rows of a group come to; sums of integers below 2^53 are exact as doubles too.
struct GroupResult {
  std::uint64_t count = 0;
  std::uint64_t present = 0;
  std::optional<std::int64_t> sum;
  std::optional<std::int32_t> least, most, first;
  double total = 0;
  bool operator==(const GroupResult&) const = default;
};

template <class Key>
using GroupResults = std::map<Key, GroupResult>;

/// The groups of rows whose keys are `keys`, serially.
template <class Key>
GroupResults<Key> expected_groups(const std::vector<Key>& keys, const Values& values) {
  GroupResults<Key> groups;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    GroupResult& group = groups[keys[i]];
    ++group.count;
    group.total += values.doubles[i];
    if (!values.valid[i]) continue;
    const std::int32_t value = values.ints[i];
    ++group.present;
    group.sum = group.sum.value_or(0) + value;
    group.least = std::min(group.least.value_or(value), value);
    group.most = std::max(group.most.value_or(value), value);
    if (!group.first) group.first = value;
  }
  return groups;
}

/// Asks `aggregate_with(aggregations...)` for representatives and results, and reads them.
template <class Key, class AggregateWith>
GroupResults<Key> actual_groups(const std::vector<Key>& keys, const Values& values,
                                const AggregateWith& aggregate_with) {
  const auto nullable = values.nullable();
  const auto [rows, results] =
      aggregate_with(agg::count(), agg::count(nullable), agg::sum(nullable), agg::min(nullable),
                     agg::max(nullable), agg::first(nullable), agg::sum(values.device_doubles));
  const auto representatives = to_wide_host(rows);
  const auto counts = to_host(std::get<0>(results).values);
  const auto presents = to_host(std::get<1>(results).values);
  const auto sums = host_results(std::get<2>(results));
  const auto minima = host_results(std::get<3>(results));
  const auto maxima = host_results(std::get<4>(results));
  const auto firsts = host_results(std::get<5>(results));
  const auto totals = to_host(std::get<6>(results).values);
  GroupResults<Key> groups;
  for (std::size_t g = 0; g < counts.size(); ++g) {
    groups[keys.at(representatives[g])] = {counts[g], presents[g], sums[g],  minima[g],
                                           maxima[g], firsts[g],   totals[g]};
  }
  require_equal("groups, of which none twice", counts.size(), groups.size());
  return groups;
}

/// Compares the ways to group with the reference.
template <class Key, class Source>
void check_groups(const std::vector<Key>& keys, const Source& source, const Values& values,
                  GroupStrategy strategy) {
  const auto expected = expected_groups(keys, values);
  const auto by_group_by = [&](const auto&... asked) {
    const auto grouped = group_by(Exec(), source, asked...);
    return std::pair(grouped.representatives, grouped.results);
  };
  require_equal("group_by", actual_groups(keys, values, by_group_by), expected);
  if constexpr (detail::has_columns<Source>()) {
    const auto by_tag_bucket = [&](const auto&... asked) {
      const GroupOptions options{GroupStrategy::tag_bucket};
      const auto grouped = group_by(Exec(), source, options, asked...);
      return std::pair(grouped.representatives, grouped.results);
    };
    require_equal("group_by in rows", actual_groups(keys, values, by_tag_bucket), expected);
  }
  const auto groups = group_rows(Exec(), source, {strategy});
  const auto by_groups = [&](const auto&... asked) {
    return std::pair(groups.representatives, aggregate(Exec(), groups, asked...));
  };
  require_equal("group_rows and aggregate", actual_groups(keys, values, by_groups), expected);
}

template <class Key>
void run_group_keys(RandomSource& random) {
  const Numbers numbers = random.numbers(random.chance(8) ? 300'000 : 20'000);
  std::vector<std::uint64_t> normal;
  for (const std::uint64_t number : numbers) normal.push_back(normal_number<Key>(number));
  const KeyColumns<Key> columns(numbers);
  const GroupStrategy strategy = random.chance(2) ? GroupStrategy::automatic : GroupStrategy::hash;
  check_groups(normal, columns.source(), Values(numbers.size(), random.below(100)), strategy);
}

void run_group_columns(RandomSource& random) {
  const auto rows = random_rows(random.size(20'000), random.below(1000));
  std::vector<GroupKey> keys;
  for (const Row& row : rows) keys.push_back(group_key(row));
  const RowColumns<std::int16_t> columns(rows);
  check_groups(keys, columns.keys(), Values(rows.size(), random.below(100)), GroupStrategy::hash);
}

/// Adds a few batches of integer keys, in one way or another, and compares with the reference.
void run_batches(RandomSource& random) {
  const BatchStrategy strategy = random.pick(
      std::array{BatchStrategy::automatic, BatchStrategy::by_groups, BatchStrategy::by_rows});
  const NumberBatch none({}, 0);
  auto aggregation = with_summary(none.values, [&](const auto&... asked) {
    return hash_aggregation(Exec(), none.device_keys, HashAggregationOptions{strategy}, asked...);
  });
  ExpectedSummaries<std::uint32_t> expected;
  for (std::uint64_t batches = 1 + random.below(6); batches != 0; --batches) {
    const Numbers numbers = random.numbers(20'000);
    const NumberBatch batch(numbers, random.below(100));
    with_summary(batch.values, [&](const auto&... asked) {
      aggregation.add(Exec(), batch.device_keys, asked...);
    });
    expected.add(batch.keys, batch.values);
  }
  const auto found = aggregation.results(Exec());
  const auto keys = to_host(std::get<0>(found.keys).values);
  const auto summaries = host_summaries(found.results);
  std::map<std::uint32_t, GroupSummary> actual;
  for (std::size_t g = 0; g < keys.size(); ++g) actual[keys[g]] = summaries[g];
  require_equal("groups of batches, of which none twice", keys.size(), actual.size());
  require_equal("batches", actual, expected.groups());
}

}  // namespace

std::vector<FuzzStep> group_steps() {
  return {{"group by 32 bits", run_group_keys<std::uint32_t>},
          {"group by 64 bits", run_group_keys<std::int64_t>},
          {"group by 128 bits", run_group_keys<Key128>},
          {"group by columns", run_group_columns},
          {"aggregate batches", run_batches}};
}

}  // namespace hashmill::test
