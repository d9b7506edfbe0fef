#include <gtest/gtest.h>

#include <hashmill/gather.hpp>

#include "algorithms/group_by/mixed_rows.hpp"

// Columns of picked rows, with nulls and strings, beside the rows of std vectors.

namespace {

using namespace hashmill;
using test::Exec;
using test::Memory;

/// Numbers of rows among `count`, every fifth of them missing.
std::vector<std::uint64_t> picked_numbers(std::uint64_t picked, std::uint64_t count) {
  const auto random = test::random_numbers(picked, 5);
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = 0; i < picked; ++i) {
    rows.push_back(i % 5 == 3 || count == 0 ? test::nothing_there : random[i] % count);
  }
  return rows;
}

template <class Row>
void expect_picked(std::uint64_t count, std::uint64_t picked) {
  SCOPED_TRACE(std::to_string(picked) + " of " + std::to_string(count));
  const test::MixedRows rows(count, 3);
  const auto which = picked_numbers(picked, count);
  std::vector<Row> narrow;
  for (const std::uint64_t row : which) narrow.push_back(static_cast<Row>(row));
  const auto there = test::to_device(narrow);
  Workspace<Memory> workspace;
  test::with_columns(rows, [&](const auto& bytes, const auto& names, const auto& doubles,
                               const auto& colours, const auto& longs, const auto&...) {
    const auto gather = [&](const auto& column) {
      return gather_column(Exec(), column, there, workspace);
    };
    EXPECT_TRUE(test::host_column(gather(bytes)) == test::at(rows.bytes, which));
    EXPECT_TRUE(test::host_strings(gather(names)) == test::at(rows.names, which));
    EXPECT_TRUE(test::host_column(gather(doubles)) == test::at(rows.doubles, which));
    EXPECT_TRUE(test::host_column(gather(colours)) == test::at(rows.colours, which));
    EXPECT_TRUE(test::host_column(gather(longs)) == test::at(rows.longs, which));
  });
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = murmur3_fmix64(i);
  const test::Optionals<std::uint64_t> present(values.begin(), values.end());
  EXPECT_TRUE(test::host_column(gather_column(Exec(), test::to_device(values), there, workspace)) ==
              test::at(present, which));
}

TEST(GatherColumn, PicksRowsOfAllKinds) {
  for (const std::uint64_t count : {0, 1, 1000}) {
    for (const std::uint64_t picked : {0, 1, 7, 8, 9, 3001}) {
      expect_picked<std::uint32_t>(count, picked);
      expect_picked<std::uint64_t>(count, picked);
    }
  }
}

}  // namespace
