#include "answers/actual_results.hpp"
#include "budget/budget_figures.hpp"
#include "budget/budgeted_group_bys.hpp"
#include "case/compare_case.hpp"
#include "duckdb_database.hpp"

namespace hashmill::perf {
namespace {

/// Peer: DuckDB's group-by of a table in a file within limited memory, whose groups are added up.
class DuckDbBudgetedGroupBy : public Operation {
 public:
  explicit DuckDbBudgetedGroupBy(const BudgetedGroupBy& rows)
      : rows_(rows), database_(rows.directory, rows.num_threads, rows.budget, [&](DuckDb& duck) {
          duck.create("t", {{"k", rows.keys, 8}, {"v", rows.values, 4}}, rows.rows);
        }) {}

  bool runs_in(RunMemory memory) const override { return memory == RunMemory::fresh; }
  void prepare(RunMemory) override { sum_ = {}; }
  void run() override { sum_ = database_.sum(query); }
  std::string verify() override { return compare_tallies(rows_.expected, sum_); }
  std::uint64_t num_items() const override { return rows_.rows; }
  ByteBudget traffic() const override { return {static_cast<double>(rows_.bytes()), 0}; }
  std::vector<RunFigure> figures() const override {
    return {budget_figure(rows_.budget, rows_.bytes())};
  }

 private:
  static constexpr const char* query =
      "SELECT count(*) AS count, "
      "coalesce(sum((k & 4294967295)::HUGEINT * ((s + n) & 1048575)), 0)::HUGEINT AS sum "
      "FROM (SELECT k, sum(v)::HUGEINT AS s, count(*) AS n FROM t GROUP BY k)";

  BudgetedGroupBy rows_;
  DuckDbDatabase database_;
  Tally sum_;
};

std::string left_out(const CompareCase&) { return DuckDb::is_there() ? "" : duckdb_is_missing; }

std::unique_ptr<Operation> make(const BudgetedGroupBy& rows) {
  return std::make_unique<DuckDbBudgetedGroupBy>(rows);
}

const RegisteredBudgetedGroupByPeer peer({{.name = "duckdb",
                                           .kind = OperationKind::group,
                                           .structure = "DuckDB",
                                           .runs_on = RunsOn::host_threads,
                                           .axes = {.groups = true, .budget = true},
                                           .is_peer = true,
                                           .left_out = left_out},
                                          make});

}  // namespace
}  // namespace hashmill::perf
