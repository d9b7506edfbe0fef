#pragma once

#include <gtest/gtest.h>

#include "reference.hpp"

namespace hashmill::test {

/// Queries and what the reference answers them.
struct Answers {
  std::uint64_t size;  ///< entries of the table
  Numbers queries;
  RowLists rows;  ///< ascending in each list; of unique keys, those of which the table has one
  bool unique_keys = false;

  [[nodiscard]] std::uint64_t count(std::size_t q) const {
    const std::uint64_t all = rows.offsets[q + 1] - rows.offsets[q];
    return unique_keys ? std::min<std::uint64_t>(all, 1) : all;
  }
  /// Whether a row is among those of query q.
  [[nodiscard]] bool has(std::size_t q, std::uint64_t row) const {
    const auto first = rows.rows.begin();
    return std::binary_search(first + static_cast<std::ptrdiff_t>(rows.offsets[q]),
                              first + static_cast<std::ptrdiff_t>(rows.offsets[q + 1]), row);
  }
};

inline Answers answers_to(const Reference& reference, Numbers queries) {
  Answers answers{reference.size(), std::move(queries), {{0}, {}}, reference.unique_keys()};
  for (const std::uint64_t query : answers.queries) {
    const auto& rows = reference.rows(query);
    answers.rows.rows.insert(answers.rows.rows.end(), rows.begin(), rows.end());
    answers.rows.offsets.push_back(answers.rows.rows.size());
  }
  return answers;
}

/// The answers to every key of the reference once, `absent` keys that it does not hold, and a few
/// keys again.
inline Answers all_answers(const Reference& reference, std::uint64_t absent = 64) {
  Numbers queries = reference.distinct();
  const std::size_t present = queries.size();
  for (const std::uint64_t extra : random_numbers(absent, 977)) queries.push_back(extra);
  for (std::uint64_t i = 0; i < absent; ++i) queries.push_back(i * i);
  if (present < 100'000) {
    for (std::size_t i = 0; i < present; i += 101) queries.push_back(queries[i]);
  }
  return answers_to(reference, std::move(queries));
}

inline void expect_contains(const MultiMapTable& table, const Answers& answers) {
  const auto found = table.contains(answers.queries);
  ASSERT_EQ(found.size(), answers.queries.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    ASSERT_EQ(found[q], answers.count(q) != 0) << "contains key " << answers.queries[q];
  }
}

inline void expect_count(const MultiMapTable& table, const Answers& answers) {
  const auto counts = table.count(answers.queries);
  ASSERT_EQ(counts.size(), answers.queries.size());
  for (std::size_t q = 0; q < counts.size(); ++q) {
    ASSERT_EQ(counts[q], answers.count(q)) << "count of key " << answers.queries[q];
  }
}

inline void expect_find(const MultiMapTable& table, const Answers& answers) {
  const auto found = table.find(answers.queries);
  ASSERT_EQ(found.size(), answers.queries.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    if (answers.count(q) == 0) {
      ASSERT_EQ(found[q], ~std::uint64_t{0}) << "row of absent key " << answers.queries[q];
    } else {
      ASSERT_TRUE(answers.has(q, found[q]))
          << "row " << found[q] << " of key " << answers.queries[q];
    }
  }
}

/// Expects one row of every key that is there.
inline void expect_one_row_each(const RowLists& found, const Answers& answers) {
  ASSERT_EQ(found.offsets.size(), answers.queries.size() + 1);
  for (std::size_t q = 0; q < answers.queries.size(); ++q) {
    ASSERT_EQ(found.offsets[q + 1] - found.offsets[q], answers.count(q));
    if (answers.count(q) == 0) continue;
    const std::uint64_t row = found.rows.at(found.offsets[q]);
    ASSERT_TRUE(answers.has(q, row)) << "row " << row << " of key " << answers.queries[q];
  }
}

inline void expect_retrieve(const MultiMapTable& table, const Answers& answers) {
  RowLists found = table.retrieve(answers.queries);
  if (answers.unique_keys) return expect_one_row_each(found, answers);
  ASSERT_EQ(found.offsets, answers.rows.offsets);
  ASSERT_EQ(found.rows.size(), answers.rows.rows.size());
  for (std::size_t q = 0; q < answers.queries.size(); ++q) {
    if (answers.count(q) < 2) continue;
    std::sort(&found.rows[found.offsets[q]], &found.rows[found.offsets[q + 1] - 1] + 1);
  }
  ASSERT_EQ(found.rows, answers.rows.rows);
}

/// Expects that a table holds the reference's entries and no others: its size, and the rows (or
/// counts, where the layout has no rows) of every key. Every test of building or changing a table
/// ends with it.
inline void expect_table(const MultiMapCase& table_case, const MultiMapTable& table,
                         const Answers& answers) {
  ASSERT_EQ(table.size(), answers.size);
  if (table_case.has_rows) {
    ASSERT_NO_FATAL_FAILURE(expect_retrieve(table, answers));
  } else {
    ASSERT_NO_FATAL_FAILURE(expect_count(table, answers));
  }
}

inline void expect_table(const MultiMapCase& table_case, const MultiMapTable& table,
                         const Reference& reference) {
  expect_table(table_case, table, all_answers(reference));
}

}  // namespace hashmill::test
