#pragma once

#include <hashmill/hashmill.hpp>

#include "algorithms/support/keys.hpp"
#include "batch_groups.hpp"

namespace hashmill::test {

inline constexpr BatchStrategy every_strategy[] = {
    BatchStrategy::automatic, BatchStrategy::by_groups, BatchStrategy::by_rows};

struct ConstantRowHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key&) const {
    return 0x9e3779b97f4a7c15;
  }
};
struct FourBitRowHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return RowHash()(key) << 60;
  }
};

/// An aggregation of integer keys beside its reference.
template <RowNumber RowType = std::uint32_t, class Hash = RowHash>
class NumberAggregation {
 public:
  explicit NumberAggregation(BatchStrategy strategy) : aggregation_(make(strategy)) {}

  void add(const NumberBatch& batch) {
    with_summary(batch.values, [&](const auto&... asked) {
      aggregation_.add(Exec(), batch.device_keys, asked...);
    });
    expect_also(batch);
  }
  /// Expects the rows of a batch, which came in another way.
  void expect_also(const NumberBatch& batch) { expected_.add(batch.keys, batch.values); }
  void expect_equal() const {
    const auto found = aggregation_.results(Exec());
    ASSERT_EQ(found.size(), aggregation_.size());
    expect_summaries(to_host(std::get<0>(found.keys).values), host_summaries(found.results),
                     expected_);
  }
  void clear() {
    aggregation_.clear(Exec());
    expected_ = {};
  }
  auto& operator*() { return aggregation_; }

 private:
  static auto make(BatchStrategy strategy) {
    const NumberBatch none({}, 0);
    return with_summary(none.values, [&](const auto&... asked) {
      return hash_aggregation<RowType, Hash>(Exec(), none.device_keys,
                                             HashAggregationOptions{strategy}, asked...);
    });
  }
  decltype(make(BatchStrategy::automatic)) aggregation_;
  ExpectedSummaries<std::uint32_t> expected_;
};

}  // namespace hashmill::test
