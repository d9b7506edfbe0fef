#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "batch_groups.hpp"

namespace hashmill::test {

/// The aggregations that need all rows of a batch, and the variance of integers.
template <class Call>
auto with_firsts_and_variances(const Values& values, const Call& call) {
  return call(agg::first(values.nullable()), agg::first(values.device_doubles),
              agg::variance(values.device_doubles), agg::variance(values.nullable(), 0));
}

/// What they come to, from all rows of each group in their order.
class ExpectedFirstsAndVariances {
 public:
  void add(const NumberBatch& batch) {
    for (std::size_t i = 0; i < batch.keys.size(); ++i) {
      Rows& rows = groups_[batch.keys[i]];
      rows.doubles.push_back(batch.values.doubles[i]);
      if (batch.values.valid[i]) rows.present.push_back(batch.values.ints[i]);
    }
  }
  [[nodiscard]] std::size_t size() const { return groups_.size(); }
  [[nodiscard]] const auto& groups() const { return groups_; }

  /// Expects groups, all of them or some, to have these results.
  template <class Results>
  void expect(const std::vector<std::uint32_t>& keys, const Results& results) const {
    const auto firsts = host_results(std::get<0>(results));
    const auto first_doubles = to_host(std::get<1>(results).values);
    const auto samples = host_results(std::get<2>(results));
    const auto populations = host_results(std::get<3>(results));
    EXPECT_EQ(std::get<1>(results).valid_bits.extent(0), 0U);
    for (std::size_t g = 0; g < keys.size(); ++g) {
      SCOPED_TRACE(keys[g]);
      const auto& [doubles, present] = groups_.at(keys[g]);
      ASSERT_EQ(first_doubles[g], doubles.front());
      ASSERT_EQ(firsts[g].has_value(), !present.empty());
      ASSERT_EQ(samples[g].has_value(), doubles.size() > 1);
      ASSERT_EQ(populations[g].has_value(), !present.empty());
      if (samples[g]) {
        ASSERT_NEAR(*samples[g], variance_of(doubles, 1), 1e-7 * (1 + *samples[g]));
      }
      if (present.empty()) continue;
      ASSERT_EQ(*firsts[g], present.front());
      ASSERT_NEAR(*populations[g], variance_of(present, 0), 1e-9 * (1 + *populations[g]));
    }
  }

 private:
  struct Rows {
    std::vector<double> doubles;
    std::vector<std::int32_t> present;
  };
  template <class Value>
  static double variance_of(const std::vector<Value>& values, double lost) {
    double sum = 0, squares = 0;
    for (const auto value : values) sum += static_cast<double>(value);
    const auto count = static_cast<double>(values.size());
    for (const auto value : values) squares += std::pow(double(value) - sum / count, 2);
    return squares / (count - lost);
  }

  std::map<std::uint32_t, Rows> groups_;
};

}  // namespace hashmill::test
