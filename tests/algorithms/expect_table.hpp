#pragma once

#include <gtest/gtest.h>

#include "algorithms/reference.hpp"

namespace hashmill::test {

/// Queries and what the reference answers them.
struct Answers {
  std::uint64_t size;  ///< entries of the table
  Numbers queries;
  RowLists rows;  ///< ascending in each list

  [[nodiscard]] std::uint64_t count(std::size_t q) const {
    return rows.offsets[q + 1] - rows.offsets[q];
  }
};

inline Answers answers_to(const Reference& reference, Numbers queries) {
  Answers answers{reference.size(), std::move(queries), {{0}, {}}};
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

inline void expect_contains(const Table& table, const Answers& answers) {
  const auto found = table.contains(answers.queries);
  ASSERT_EQ(found.size(), answers.queries.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    ASSERT_EQ(found[q], answers.count(q) != 0) << "contains key " << answers.queries[q];
  }
}

inline void expect_count(const Table& table, const Answers& answers) {
  const auto counts = table.count(answers.queries);
  ASSERT_EQ(counts.size(), answers.queries.size());
  for (std::size_t q = 0; q < counts.size(); ++q) {
    ASSERT_EQ(counts[q], answers.count(q)) << "count of key " << answers.queries[q];
  }
}

inline void expect_find(const Table& table, const Answers& answers) {
  const auto found = table.find(answers.queries);
  ASSERT_EQ(found.size(), answers.queries.size());
  const auto& [offsets, rows] = answers.rows;
  for (std::size_t q = 0; q < found.size(); ++q) {
    if (answers.count(q) == 0) {
      ASSERT_EQ(found[q], ~std::uint64_t{0}) << "row of absent key " << answers.queries[q];
    } else {
      ASSERT_TRUE(std::binary_search(&rows[offsets[q]], &rows[offsets[q + 1] - 1] + 1, found[q]))
          << "row " << found[q] << " of key " << answers.queries[q];
    }
  }
}

inline void expect_retrieve(const Table& table, const Answers& answers) {
  RowLists found = table.retrieve(answers.queries);
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
inline void expect_table(const TableCase& table_case, const Table& table, const Answers& answers) {
  ASSERT_EQ(table.size(), answers.size);
  if (table_case.has_rows) {
    ASSERT_NO_FATAL_FAILURE(expect_retrieve(table, answers));
  } else {
    ASSERT_NO_FATAL_FAILURE(expect_count(table, answers));
  }
}

inline void expect_table(const TableCase& table_case, const Table& table,
                         const Reference& reference) {
  expect_table(table_case, table, all_answers(reference));
}

}  // namespace hashmill::test
