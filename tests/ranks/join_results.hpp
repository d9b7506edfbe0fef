#pragma once

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <vector>

#include "ranks/join_inputs.hpp"

namespace hashmill::test {

// Results of joins of several ranks. One rank compares what all give with the pairs that a
// std::multimap finds.

inline constexpr GlobalRow no_partner = ~GlobalRow{0};

/// A row of the result: where both rows came from.
struct JoinedRow {
  GlobalRow left, right;
  friend auto operator<=>(const JoinedRow&, const JoinedRow&) = default;
  friend bool operator==(const JoinedRow&, const JoinedRow&) = default;
};
using JoinedRows = std::vector<JoinedRow>;
template <class Matches>
JoinedRows expected_pairs(JoinKind kind, const std::map<GlobalRow, JoinKey>& left,
                          const std::map<GlobalRow, JoinKey>& right, const Matches& matches) {
  std::multimap<std::string, GlobalRow> rows_of;
  for (const auto& [row, key] : right) {
    if (key) rows_of.emplace(*key, row);
  }
  JoinedRows pairs;
  std::map<GlobalRow, bool> matched;
  for (const auto& [row, key] : left) {
    bool has_partner = false;
    if (key) {
      const auto [begin, end] = rows_of.equal_range(*key);
      for (auto found = begin; found != end; ++found) {
        if (!matches(row, found->second)) continue;
        pairs.push_back({row, found->second});
        matched[found->second] = has_partner = true;
      }
    }
    const bool keeps = kind == JoinKind::left || kind == JoinKind::full;
    if (!has_partner && keeps) pairs.push_back({row, no_partner});
  }
  if (kind == JoinKind::right || kind == JoinKind::full) {
    for (const auto& [row, key] : right) {
      if (!matched[row]) pairs.push_back({no_partner, row});
    }
  }
  std::ranges::sort(pairs);
  return pairs;
}
inline const auto every_pair = [](GlobalRow, GlobalRow) { return true; };

/// The rows of a result, by the columns that number them. The row that is missing is `no_partner`.
inline JoinedRows rows_of(const Optionals<GlobalRow>& left, const Optionals<GlobalRow>& right) {
  EXPECT_EQ(left.size(), right.size());
  JoinedRows rows;
  for (std::size_t i = 0; i < left.size(); ++i) {
    rows.push_back({left[i].value_or(no_partner), right[i].value_or(no_partner)});
  }
  return rows;
}
/// Compares the rows that all ranks have with `expected()`, on rank 0.
template <class Expected>
void expect_rows(const Communicator& ranks, const JoinedRows& mine, const Expected& expected) {
  const auto all = collect(rank_exec(), ranks, 0, to_device(mine));
  JoinedRows rows = to_host(all.template column<0>());
  std::ranges::sort(rows);
  const JoinedRows right = ranks.rank() == 0 ? expected() : JoinedRows();
  EXPECT_EQ(rows.size(), right.size());
  EXPECT_TRUE(rows == right);
}
/// The same of a join of `input`, whose numbers are keys `key_of(number)`.
template <class KeyOf, class Matches>
void expect_join(const Communicator& ranks, const JoinedRows& mine, JoinKind kind,
                 const JoinInput& input, const KeyOf& key_of, const Matches& matches) {
  expect_rows(ranks, mine, [&] {
    return expected_pairs(kind, keys_of_all(input.left, ranks.size(), key_of),
                          keys_of_all(input.right, ranks.size(), key_of), matches);
  });
}

/// A number of joined rows of all ranks that does not depend on their order.
inline std::uint64_t digest_of(const Communicator& ranks, const JoinedRows& mine) {
  std::uint64_t digest[] = {0};
  for (const JoinedRow& row : mine) {
    digest[0] += murmur3_fmix64(murmur3_fmix64(row.left) + row.right);
  }
  ranks.all_reduce(digest, Reduction::sum);
  return digest[0];
}

inline constexpr JoinKind all_kinds[] = {JoinKind::inner, JoinKind::left, JoinKind::right,
                                         JoinKind::full};

}  // namespace hashmill::test
