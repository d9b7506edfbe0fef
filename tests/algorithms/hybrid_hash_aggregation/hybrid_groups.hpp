#pragma once

#include <hashmill/hybrid_hash_aggregation.hpp>

#include "algorithms/group_by/firsts_and_variances.hpp"
#include "algorithms/spill/passing_bytes.hpp"

namespace hashmill::test {

// Group-bys within a budget, of batches of numbers or rows.

inline constexpr std::uint64_t MiB = 1 << 20;

/// A budget of that many bytes, and no end of a file.
inline HybridAggregationOptions within(std::uint64_t device) {
  HybridAggregationOptions options;
  options.budget.device = device;
  options.budget.host = only_passing_bytes;
  return options;
}
/// The keys of groups as they are handed over.
inline std::vector<std::uint32_t> host_keys(
    const std::tuple<OwnedColumn<std::uint32_t, Memory>>& keys) {
  return to_host(std::get<0>(keys).values);
}

inline const auto with_summaries = [](const Values& values, const auto& call) {
  return with_summary(values, call);
};
inline const auto with_firsts = [](const Values& values, const auto& call) {
  return with_firsts_and_variances(values, call);
};

/// Groups batches, and calls `use(groups)`.
template <class Batch, class With, class Keys, class Use>
HybridAggregationStatistics group_within(const HybridAggregationOptions& options,
                                         const std::vector<Batch>& batches, const With& with,
                                         const Keys& keys_of, const Use& use) {
  return with(batches.front().values, [&](const auto&... types) {
    auto grouped = hybrid_hash_aggregation(Exec(), keys_of(batches.front()), options, types...);
    for (const Batch& batch : batches) {
      with(batch.values, [&](const auto&... aggregations) {
        grouped.add(Exec(), keys_of(batch), aggregations...);
      });
    }
    grouped.finish(Exec(), use);
    return grouped.statistics();
  });
}

/// As above, of numbers, on a machine with a last-level cache of so many bytes. `WholeOf`: as of
/// GroupedRounds.
template <template <class, class, class> class WholeOf = detail::WholeRounds, class Use>
HybridAggregationStatistics group_within_cache(const HybridAggregationOptions& options,
                                               std::uint64_t cache_bytes,
                                               const std::vector<NumberBatch>& batches,
                                               const Use& use) {
  return with_summary(batches.front().values, [&](const auto&... types) {
    using Keys = decltype(detail::as_columns(batches.front().device_keys));
    using Of =
        detail::AggregatedBatches<std::uint32_t, RowHash, Keys, std::decay_t<decltype(types)>...>;
    const RowHash hash = detail::seeded_hash("hybrid_hash_aggregation", RowHash(), options.seed);
    detail::GroupedRounds<true, Exec, Of, WholeOf> rounds(Exec(), hash, options, cache_bytes,
                                                          types...);
    detail::GroupLevel level = rounds.first_level();
    for (const NumberBatch& batch : batches) {
      with_summary(batch.values, [&](const auto&... aggregations) {
        detail::add_batch(Exec(), rounds, level, batch.keys.size(), batch.device_keys,
                          aggregations...);
      });
    }
    rounds.finish(Exec(), level, use);
    return rounds.statistics(level);
  });
}

inline std::vector<NumberBatch> batches_of(const Numbers& numbers, std::uint64_t batch_rows) {
  std::vector<NumberBatch> batches;
  batches.emplace_back(Numbers(), 1);
  for (std::uint64_t b = 0; b < numbers.size(); b += batch_rows) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(b);
    const auto rows = std::min<std::uint64_t>(batch_rows, numbers.size() - b);
    batches.emplace_back(Numbers(begin, begin + static_cast<std::ptrdiff_t>(rows)), b + 2);
  }
  return batches;
}
inline const auto number_keys = [](const NumberBatch& batch) { return batch.device_keys; };

}  // namespace hashmill::test
