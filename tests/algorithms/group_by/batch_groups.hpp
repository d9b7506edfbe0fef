#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <hashmill/hash_aggregation.hpp>
#include <map>
#include <numeric>

#include "algorithms/join/row_rules.hpp"
#include "values.hpp"

namespace hashmill::test {

/// Rows of a batch and their values, in std types and on the device.
struct RowBatch {
  RowBatch(std::uint64_t size, std::uint64_t seed)
      : rows(random_rows(size, seed)), columns(rows), values(size, seed + 1) {}
  std::vector<Row> rows;
  RowColumns<std::int16_t> columns;
  Values values;
};

/// Integer keys of a batch and their values.
struct NumberBatch {
  NumberBatch(const Numbers& numbers, std::uint64_t seed) : values(numbers.size(), seed) {
    for (const std::uint64_t number : numbers) keys.push_back(static_cast<std::uint32_t>(number));
    device_keys = to_device(keys);
  }
  std::vector<std::uint32_t> keys;
  Kokkos::View<std::uint32_t*, Memory> device_keys;
  Values values;
};

/// What the rows of a group come to; sums of integers below 2^53 are exact as doubles too.
struct GroupSummary {
  std::uint64_t count = 0;
  std::uint64_t present = 0;
  std::optional<std::int64_t> sum;
  std::optional<std::int32_t> least;
  std::optional<double> most;
  std::optional<double> mean;
  bool operator==(const GroupSummary&) const = default;
};

/// The aggregations of a GroupSummary.
template <class Call>
auto with_summary(const Values& values, const Call& call) {
  const auto nullable = values.nullable();
  return call(agg::count(), agg::count(nullable), agg::sum(nullable), agg::min(nullable),
              agg::max(values.device_doubles), agg::mean(nullable));
}
/// Their results.
template <class Results>
std::vector<GroupSummary> host_summaries(const Results& results) {
  const auto counts = to_host(std::get<0>(results).values);
  const auto presents = to_host(std::get<1>(results).values);
  const auto sums = host_results(std::get<2>(results));
  const auto minima = host_results(std::get<3>(results));
  const auto maxima = host_results(std::get<4>(results));
  const auto means = host_results(std::get<5>(results));
  std::vector<GroupSummary> groups;
  for (std::size_t g = 0; g < counts.size(); ++g) {
    groups.push_back({counts[g], presents[g], sums[g], minima[g], maxima[g], means[g]});
  }
  return groups;
}

/// The same, serially: groups take rows one by one.
template <class Key>
class ExpectedSummaries {
 public:
  void add(const std::vector<Key>& keys, const Values& values) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      GroupSummary& group = groups_[keys[i]];
      ++group.count;
      group.most = std::max(group.most.value_or(-HUGE_VAL), values.doubles[i]);
      if (!values.valid[i]) continue;
      const std::int32_t value = values.ints[i];
      ++group.present;
      group.sum = group.sum.value_or(0) + value;
      group.least = std::min(group.least.value_or(value), value);
      group.mean = static_cast<double>(*group.sum) / static_cast<double>(group.present);
    }
  }
  [[nodiscard]] const std::map<Key, GroupSummary>& groups() const { return groups_; }

 private:
  std::map<Key, GroupSummary> groups_;
};

/// Keys of groups, from the columns that `results` gives.
template <class Keys>
std::vector<GroupKey> host_row_keys(const Keys& keys) {
  const auto cities = host_results(std::get<0>(keys));
  const auto heights = host_results(std::get<2>(keys));
  const auto& strings = std::get<1>(keys);
  const auto offsets = to_host(strings.offsets);
  const auto bytes = to_host(strings.bytes);
  const auto bits = to_host(strings.valid_bits);
  std::vector<GroupKey> result;
  for (std::size_t g = 0; g < cities.size(); ++g) {
    Row row{cities[g], std::nullopt, heights[g]};
    if ((bits[g / 8] >> (g % 8) & 1) != 0) {
      row.street = std::string(bytes.data() + offsets[g], bytes.data() + offsets[g + 1]);
    }
    result.push_back(group_key(row));
  }
  return result;
}

/// The keys of rows, as std containers compare them.
inline std::vector<GroupKey> group_keys_of(const std::vector<Row>& rows) {
  std::vector<GroupKey> keys;
  for (const Row& row : rows) keys.push_back(group_key(row));
  return keys;
}

/// Expects the groups to be those, each once.
template <class Key>
void expect_summaries(const std::vector<Key>& keys, const std::vector<GroupSummary>& summaries,
                      const ExpectedSummaries<Key>& expected) {
  std::map<Key, GroupSummary> actual;
  ASSERT_EQ(keys.size(), summaries.size());
  for (std::size_t g = 0; g < keys.size(); ++g) {
    ASSERT_TRUE(actual.emplace(keys[g], summaries[g]).second) << "group " << g << " again";
  }
  ASSERT_EQ(actual.size(), expected.groups().size());
  ASSERT_TRUE(actual == expected.groups());
}

}  // namespace hashmill::test
