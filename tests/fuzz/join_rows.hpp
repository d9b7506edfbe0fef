#pragma once

#include <hashmill/distributed_join/join_side.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "drawn_ranks.hpp"
#include "ranks/join_results.hpp"

namespace hashmill::test {

// Rows of sides of joins of several ranks. Column 1 has their numbers.

/// The number that a row of any rank was made of.
inline std::uint64_t number_of(const DrawnShares& shares, GlobalRow row) {
  return shares.of_rank[rank_of(row)][row_of(row)];
}
/// The rows of a rank from `begin` to `end`.
inline std::vector<GlobalRow> rows_of_rank(int rank, std::uint64_t begin, std::uint64_t end) {
  std::vector<GlobalRow> rows;
  for (std::uint64_t i = begin; i < end; ++i) {
    rows.push_back(global_row(static_cast<std::uint32_t>(rank), i));
  }
  return rows;
}
/// All rows of a rank.
inline std::vector<GlobalRow> rows_of_rank(const DrawnShares& shares, int rank) {
  return rows_of_rank(rank, 0, shares.of_rank[static_cast<std::size_t>(rank)].size());
}

/// Rows whose keys are numbers. What else they have depends on the row: numbers and strings, both
/// with nulls.
class NumberRows {
 public:
  NumberRows(const DrawnShares& shares, const std::vector<GlobalRow>& rows) : host_(shares, rows) {
    for (const auto& key : host_.keys) keys_.push_back(*key);
    device_keys_ = to_device(keys_);
    rows_ = to_device(rows);
  }
  [[nodiscard]] auto side() const {
    return join_side<0>(device_keys_, rows_, numbers_.column(), texts_.column());
  }
  /// The key of a row that is made of that number.
  static JoinKey key(std::uint64_t number, bool) { return std::to_string(number); }
  /// Expects the columns of joined rows to be those of these rows, null for `no_partner`.
  template <class Columns>
  static void expect_columns(const Columns& columns, const DrawnShares& shares,
                             const std::vector<GlobalRow>& rows) {
    const Host expected(shares, rows);
    EXPECT_TRUE(host_column(std::get<0>(columns)) == expected.keys);
    EXPECT_TRUE(host_column(std::get<2>(columns)) == expected.numbers);
    EXPECT_TRUE(host_strings(std::get<3>(columns)) == expected.texts);
  }

 private:
  struct Host {
    Optionals<std::uint64_t> keys;
    Optionals<std::int16_t> numbers;
    Strings texts;
    Host(const DrawnShares& shares, const std::vector<GlobalRow>& rows)
        : keys(rows.size()), numbers(rows.size()), texts(rows.size()) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] == no_partner) continue;
        const std::uint64_t mixed = murmur3_fmix64(rows[i]);
        keys[i] = number_of(shares, rows[i]);
        if (mixed % 5 != 0) numbers[i] = static_cast<std::int16_t>(mixed);
        if (mixed % 7 != 0) texts[i] = std::string(mixed % 23, static_cast<char>('a' + mixed % 26));
      }
    }
  };

  Host host_;
  Numbers keys_;
  Kokkos::View<std::uint64_t*, Memory> device_keys_;
  Kokkos::View<GlobalRow*, Memory> rows_;
  DeviceValues<std::int16_t> numbers_{host_.numbers};
  DeviceStrings texts_{host_.texts};
};

/// Rows whose keys are a number and a string, both with nulls.
class TextRows {
 public:
  TextRows(const DrawnShares& shares, const std::vector<GlobalRow>& rows)
      : keys_(numbers_of(shares, rows)), rows_(to_device(rows)) {}
  [[nodiscard]] auto side() const {
    return join_side<0, 2>(numbers_.column(), rows_, words_.column());
  }
  static JoinKey key(std::uint64_t number, bool nulls_equal) {
    return text_key(number, nulls_equal);
  }
  template <class Columns>
  static void expect_columns(const Columns& columns, const DrawnShares& shares,
                             const std::vector<GlobalRow>& rows) {
    TextKeys expected(numbers_of(shares, rows));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i] != no_partner) continue;
      expected.numbers[i].reset();
      expected.words[i].reset();
    }
    EXPECT_TRUE(host_column(std::get<0>(columns)) == expected.numbers);
    EXPECT_TRUE(host_strings(std::get<2>(columns)) == expected.words);
  }

 private:
  static Numbers numbers_of(const DrawnShares& shares, const std::vector<GlobalRow>& rows) {
    Numbers numbers;
    for (const GlobalRow row : rows) {
      numbers.push_back(row == no_partner ? 0 : number_of(shares, row));
    }
    return numbers;
  }

  TextKeys keys_;
  DeviceValues<std::int32_t> numbers_{keys_.numbers};
  DeviceStrings words_{keys_.words};
  Kokkos::View<GlobalRow*, Memory> rows_;
};

/// Expects joined rows to have the columns of the rows they name, and appends these.
template <class Rows, class Result>
void take_joined(const Result& joined, const DrawnShares& left, const DrawnShares& right,
                 JoinedRows& taken) {
  const auto rows = rows_of(host_column(joined.template left_column<1>()),
                            host_column(joined.template right_column<1>()));
  std::vector<GlobalRow> lefts, rights;
  for (const JoinedRow& row : rows) {
    lefts.push_back(row.left);
    rights.push_back(row.right);
  }
  Rows::expect_columns(joined.left, left, lefts);
  Rows::expect_columns(joined.right, right, rights);
  taken.insert(taken.end(), rows.begin(), rows.end());
}

}  // namespace hashmill::test
