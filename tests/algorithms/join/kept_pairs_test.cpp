#include <gtest/gtest.h>

#include <hashmill/join/detail/kept_pairs.hpp>
#include <hashmill/primitives/detail/records.hpp>
#include <vector>

#include "algorithms/support/inputs.hpp"

namespace hashmill::test {
namespace {

// Pairs of a join that are kept where the left rows were, until they are written.

using Record = detail::RecordPair<std::uint32_t, std::uint32_t>;  // matches, number of the row
using Pair = detail::RecordPair<std::uint32_t, std::uint32_t>;    // number of the row, of the match
using Numbers32 = std::vector<std::uint32_t>;

std::vector<Record> rows_with_matches(const Numbers& matches) {
  std::vector<Record> rows;
  for (std::uint32_t j = 0; j < matches.size(); ++j) {
    rows.push_back({static_cast<std::uint32_t>(matches[j]), j});
  }
  return rows;
}

/// How many first rows never have more pairs than they are.
std::uint64_t rows_that_fit(const Numbers& matches) {
  std::uint64_t pairs = 0;
  for (std::uint64_t j = 0; j < matches.size(); ++j) {
    pairs += matches[j];
    if (pairs > j + 1) return j;
  }
  return matches.size();
}

/// Keeps pairs of rows with so many matches each: those of each row in turn, up to the first that
/// finds no room, from which on rows are as they were.
void expect_kept(const Numbers& matches) {
  auto rows = rows_with_matches(matches);
  const auto find = [](const Record& row, const auto& use) {
    for (std::uint32_t m = 0; m < row.first; ++m) use(Pair{row.second, m});
  };
  const auto kept = detail::keep_pairs<Pair>(rows.data(), rows.size(), find);
  ASSERT_EQ(kept.rows, rows_that_fit(matches));
  Numbers32 expected_left, expected_right;
  for (std::uint32_t j = 0; j < kept.rows; ++j) {
    expected_left.insert(expected_left.end(), matches[j], j);
    for (std::uint32_t m = 0; m < matches[j]; ++m) expected_right.push_back(m);
  }
  ASSERT_EQ(kept.pairs, expected_left.size());
  for (std::uint64_t j = kept.rows; j < rows.size(); ++j) {
    ASSERT_EQ(rows[j].first, matches[j]) << "row " << j;
    ASSERT_EQ(rows[j].second, j);
  }
  Numbers32 left, right;
  detail::for_each_kept_pair<Pair>(rows.data(), kept.pairs, [&](const Pair& pair) {
    left.push_back(pair.first);
    right.push_back(pair.second);
  });
  EXPECT_EQ(left, expected_left);
  EXPECT_EQ(right, expected_right);
}

TEST(KeptPairs, OfNoRowsAreNone) { expect_kept({}); }

TEST(KeptPairs, AreAllWhereRowsHaveOneMatchOrNone) {
  for (const std::uint64_t most : {0, 1}) {
    for (const std::uint64_t rows : {1, 2, 127, 128, 129, 1000}) {
      expect_kept(Numbers(rows, most));
      Numbers matches = random_numbers(rows, rows);
      for (auto& number : matches) number %= most + 1;
      expect_kept(matches);
    }
  }
}

TEST(KeptPairs, EndAtTheRowThatFindsNoRoom) {
  expect_kept({2});
  expect_kept({1, 2, 0, 0});
  expect_kept({0, 2, 1, 2, 1});
  expect_kept({0, 0, 3, 1, 0, 2, 9});
  expect_kept({0, 0, 0, 0, 300, 1});
}

TEST(KeptPairs, OfRowsWithAnyNumberOfMatches) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Numbers matches = random_numbers(300, seed);
    for (auto& number : matches)
      number = number % 64 < seed % 30 ? number / 64 % 5 : number / 64 % 2;
    expect_kept(matches);
  }
}

}  // namespace
}  // namespace hashmill::test
