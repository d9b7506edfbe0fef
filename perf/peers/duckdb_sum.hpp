#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "answers/actual_results.hpp"
#include "budget/budget_figures.hpp"
#include "case/operation.hpp"
#include "duckdb_database.hpp"

namespace hashmill::perf {

/// A peer's query within limited memory that ends in a sum; see `DuckDbDatabase::sum`.
struct DuckSum {
  std::string query;
  std::uint64_t rows, bytes;  ///< of its tables
  std::uint64_t budget;
  Tally expected;
};

/// Peer: DuckDB runs such a query on tables in a file.
class DuckDbSum : public Operation {
 public:
  DuckDbSum(DuckSum asked, DuckDbDatabase database)
      : asked_(std::move(asked)), database_(std::move(database)) {}

  bool runs_in(RunMemory memory) const override { return memory == RunMemory::fresh; }
  void prepare(RunMemory) override { sum_ = {}; }
  void run() override { sum_ = database_.sum(asked_.query); }
  std::string verify() override { return compare_tallies(asked_.expected, sum_); }
  std::uint64_t num_items() const override { return asked_.rows; }
  ByteBudget traffic() const override { return {static_cast<double>(asked_.bytes), 0}; }
  std::vector<RunFigure> figures() const override {
    return {budget_figure(asked_.budget, asked_.bytes)};
  }

 private:
  DuckSum asked_;
  DuckDbDatabase database_;
  Tally sum_;
};

}  // namespace hashmill::perf
