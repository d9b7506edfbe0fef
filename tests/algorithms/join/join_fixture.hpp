#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/hashmill.hpp>
#include <map>
#include <utility>
#include <vector>

#include "algorithms/support/hashes.hpp"
#include "algorithms/support/keys.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {

inline constexpr std::uint64_t nothing = ~std::uint64_t{0};  ///< no_row, widened

using Pair = std::pair<std::uint64_t, std::uint64_t>;
using Pairs = std::vector<Pair>;

/// The pairs that a join gave, as they are.
template <class Result>
Pairs pairs_of(const Result& result) {
  const auto left = to_wide_host(result.left);
  const auto right = to_wide_host(result.right);
  Pairs pairs(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) pairs[i] = {left[i], right[i]};
  return pairs;
}
/// The same, sorted.
template <class Result>
Pairs sorted_pairs(const Result& result) {
  Pairs pairs = pairs_of(result);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

inline bool keeps_left(JoinKind kind) { return kind == JoinKind::left || kind == JoinKind::full; }
inline bool keeps_right(JoinKind kind) { return kind == JoinKind::right || kind == JoinKind::full; }

/// The pairs that a join of rows should give, sorted: a nested loop over std containers.
/// `matches(l)` lists the candidates of left row l, `condition(l, r)` decides.
template <class Matches, class Condition>
Pairs expected_pairs(JoinKind kind, std::uint64_t num_left, std::uint64_t num_right,
                     const Matches& matches, const Condition& condition) {
  Pairs pairs;
  std::vector<bool> matched(num_right);
  for (std::uint64_t l = 0; l < num_left; ++l) {
    bool found = false;
    for (const std::uint64_t r : matches(l)) {
      if (!condition(l, r)) continue;
      found = matched[r] = true;
      pairs.emplace_back(l, r);
    }
    if (!found && keeps_left(kind)) pairs.emplace_back(l, nothing);
  }
  for (std::uint64_t r = 0; r < num_right; ++r) {
    if (!matched[r] && keeps_right(kind)) pairs.emplace_back(nothing, r);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// The same of keys that numbers stand for.
template <class Key, class Condition>
Pairs expected_pairs(JoinKind kind, const Numbers& left, const Numbers& right,
                     const Condition& condition) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> lists;
  for (std::uint64_t r = 0; r < right.size(); ++r) lists[normal_number<Key>(right[r])].push_back(r);
  const auto matches = [&](std::uint64_t l) {
    const auto found = lists.find(normal_number<Key>(left[l]));
    return found == lists.end() ? std::vector<std::uint64_t>{} : found->second;
  };
  return expected_pairs(kind, left.size(), right.size(), matches, condition);
}

inline constexpr JoinKind every_kind[] = {JoinKind::inner, JoinKind::left, JoinKind::right,
                                          JoinKind::full};

/// A condition on rows.
struct SumIsEven {
  KOKKOS_FUNCTION bool operator()(std::uint64_t left, std::uint64_t right) const {
    return (left + right) % 2 == 0;
  }
};

}  // namespace hashmill::test
