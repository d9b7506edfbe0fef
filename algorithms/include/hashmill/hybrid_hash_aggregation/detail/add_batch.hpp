#pragma once

#include <algorithm>
#include <hashmill/distributed_group_by/detail/row_states.hpp>
#include <hashmill/hybrid_hash_aggregation/detail/grouped_rounds.hpp>
#include <hashmill/hybrid_hash_aggregation/detail/row_slices.hpp>

namespace hashmill::detail {

template <class Exec, class Rounds, class Slice, class... Aggregations>
void add_slice(const Exec& exec, Rounds& rounds, GroupLevel& level, const Slice& keys,
               const Aggregations&... aggregations) {
  const auto by = as_columns(keys);
  if constexpr ((has_row_state<Aggregations> && ...)) {
    if (!level.repeats) {
      return rounds.add_rare(exec, level, by, rebind_all(rounds.batches.kept, aggregations...));
    }
  }
  rounds.add(exec, level, by.size(), [&] {
    rounds.batches.add(exec, rounds.workspace, rounds.options.strategy, keys, aggregations...);
  });
}

/// Adds a batch of so many rows to GroupedRounds, in slices that they have room for.
template <class Exec, class Rounds, class Keys, class... Aggregations>
void add_batch(const Exec& exec, Rounds& rounds, GroupLevel& level, std::uint64_t rows,
               const Keys& keys, const Aggregations&... aggregations) {
  for (std::uint64_t first = 0; first < rows; first += rounds.slice_rows()) {
    const std::uint64_t count = std::min(rounds.slice_rows(), rows - first);
    add_slice(exec, rounds, level, slice_of(keys, first, count),
              slice_of(aggregations, first, count)...);
  }
}

}  // namespace hashmill::detail
