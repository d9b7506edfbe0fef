#include "spgemm.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "algorithms/support/views.hpp"

namespace spgemm {
namespace {

struct Matrix {
  std::vector<std::uint32_t> rows, columns;
  [[nodiscard]] Pattern pattern() const {
    return {hashmill::test::to_device(rows), hashmill::test::to_device(columns)};
  }
};

Matrix random_matrix(std::uint32_t num_rows, std::uint32_t num_columns, std::size_t entries,
                     std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  for (std::size_t e = 0; e < entries; ++e) {
    places.insert({engine() % num_rows, engine() % num_columns});
  }
  Matrix matrix;
  for (const auto& [row, column] : places) {
    matrix.rows.push_back(row);
    matrix.columns.push_back(column);
  }
  return matrix;
}

/// A set of columns for each row.
std::vector<std::uint32_t> expected(const Matrix& a, const Matrix& b, std::uint32_t num_rows) {
  std::vector<std::set<std::uint32_t>> columns(num_rows);
  for (std::size_t x = 0; x < a.rows.size(); ++x) {
    for (std::size_t y = 0; y < b.rows.size(); ++y) {
      if (a.columns[x] == b.rows[y]) columns[a.rows[x]].insert(b.columns[y]);
    }
  }
  std::vector<std::uint32_t> counts;
  for (const auto& row : columns) counts.push_back(static_cast<std::uint32_t>(row.size()));
  return counts;
}

TEST(Spgemm, CountsTheEntriesOfEachRow) {
  for (const std::size_t entries : {0U, 1U, 40U, 900U}) {
    const Matrix a = random_matrix(60, 80, entries, 1), b = random_matrix(80, 50, entries, 2);
    ASSERT_EQ(hashmill::test::to_host(entries_of_rows(Exec(), a.pattern(), b.pattern(), 60)),
              expected(a, b, 60))
        << entries;
  }
}

TEST(Spgemm, OfATridiagonalMatrixWithItselfHasFiveDiagonals) {
  constexpr std::uint32_t n = 3000;
  Matrix matrix;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = i == 0 ? 0 : i - 1; j < std::min(i + 2, n); ++j) {
      matrix.rows.push_back(i);
      matrix.columns.push_back(j);
    }
  }
  std::vector<std::uint32_t> counts(n, 5);
  counts[0] = counts[n - 1] = 3;
  counts[1] = counts[n - 2] = 4;
  EXPECT_EQ(hashmill::test::to_host(entries_of_rows(Exec(), matrix.pattern(), matrix.pattern(), n)),
            counts);
}

}  // namespace
}  // namespace spgemm
