#pragma once

#include <gtest/gtest.h>

#include <hashmill/hybrid_hash_join.hpp>
#include <optional>
#include <unordered_map>
#include <vector>

#include "algorithms/spill/passing_bytes.hpp"
#include "ranks/join_results.hpp"

namespace hashmill::test {

// Joins within a budget beside what std::unordered_map finds. Rows are numbered.

template <class Key>
using JoinKeys = std::vector<std::optional<Key>>;  // a null matches nothing

inline constexpr HybridJoinKind hybrid_kinds[] = {HybridJoinKind::inner, HybridJoinKind::left,
                                                  HybridJoinKind::right, HybridJoinKind::full,
                                                  HybridJoinKind::semi,  HybridJoinKind::anti};

/// The rows that the join gives, in order.
template <class Key>
JoinedRows expected_rows(HybridJoinKind kind, const JoinKeys<Key>& left,
                         const JoinKeys<Key>& right) {
  std::unordered_map<Key, std::vector<std::uint64_t>> rows_of;
  for (std::uint64_t r = 0; r < right.size(); ++r) {
    if (right[r]) rows_of[*right[r]].push_back(r);
  }
  std::vector<bool> matched(right.size());
  JoinedRows rows;
  const bool gives_pairs = !detail::only_marks(kind);
  for (std::uint64_t l = 0; l < left.size(); ++l) {
    const auto found = left[l] ? rows_of.find(*left[l]) : rows_of.end();
    const bool has_partner = found != rows_of.end();
    if (has_partner) {
      for (const std::uint64_t r : found->second) {
        if (gives_pairs) rows.push_back({l, r});
        matched[r] = true;
      }
    }
    const bool keeps =
        has_partner ? kind == HybridJoinKind::semi : detail::keeps_strangers_left(kind);
    if (keeps) rows.push_back({l, no_partner});
  }
  for (std::uint64_t r = 0; r < right.size(); ++r) {
    if (!matched[r] && detail::keeps_strangers_right(kind)) rows.push_back({no_partner, r});
  }
  std::ranges::sort(rows);
  return rows;
}

/// What a join gives, and did.
struct HybridResult {
  JoinedRows rows;
  HybridHashJoinStatistics statistics;
  std::uint64_t most_rows = 0;  // that were handed over at once
};

/// Joins sides in batches of `batch_rows`. `with_batch(keys, begin, end, use)` calls `use` with the
/// side that has these keys; column `Number` has the numbers of the rows.
template <std::size_t Number, class Keys, class WithBatch>
HybridResult join_within(HybridJoinKind kind, const HybridHashJoinOptions& options,
                         const Keys& left, const Keys& right, std::uint64_t batch_rows,
                         const WithBatch& with_batch) {
  HybridResult result;
  const auto use = [&](const auto& joined) {
    const auto rows = rows_of(host_column(joined.template left_column<Number>()),
                              host_column(joined.template right_column<Number>()));
    result.rows.insert(result.rows.end(), rows.begin(), rows.end());
    result.most_rows = std::max(result.most_rows, joined.size());
    EXPECT_GT(joined.size(), 0U);
  };
  const auto for_each = [&](const Keys& keys, const auto& add) {
    with_batch(keys, 0, 0, add);
    for (std::uint64_t b = 0; b < keys.size(); b += batch_rows) {
      with_batch(keys, b, std::min<std::uint64_t>(b + batch_rows, keys.size()), add);
    }
  };
  with_batch(left, 0, 0, [&](const auto& types) {
    auto join = hybrid_hash_join(Exec(), kind, types, types, options);
    for_each(right, [&](const auto& side) { join.add_right(Exec(), side); });
    join.finish_right(Exec());
    for_each(left, [&](const auto& side) { join.add_left(Exec(), side, use); });
    join.finish_left(Exec(), use);
    result.statistics = join.statistics();
  });
  std::ranges::sort(result.rows);
  return result;
}

/// Sides of numbers without nulls.
inline const auto with_number_keys = [](const JoinKeys<std::uint64_t>& keys, std::uint64_t begin,
                                        std::uint64_t end, const auto& use) {
  Numbers numbers, rows;
  for (std::uint64_t i = begin; i < end; ++i) {
    numbers.push_back(*keys[i]);
    rows.push_back(i);
  }
  const auto column = to_device(numbers);
  const auto number_of_row = to_device(rows);
  use(join_side<0>(column, number_of_row));
};
inline JoinKeys<std::uint64_t> join_keys(const Numbers& numbers) {
  return {numbers.begin(), numbers.end()};
}
/// The bytes of both sides, as `with_number_keys` makes them.
inline std::uint64_t bytes_of(const JoinKeys<std::uint64_t>& left,
                              const JoinKeys<std::uint64_t>& right) {
  return (left.size() + right.size()) * 2 * sizeof(std::uint64_t);
}
/// A budget of that many bytes, and no end of a file.
inline HybridHashJoinOptions within(std::uint64_t device) {
  HybridHashJoinOptions options;
  options.budget.device = device;
  options.budget.host = only_passing_bytes;
  return options;
}

}  // namespace hashmill::test
