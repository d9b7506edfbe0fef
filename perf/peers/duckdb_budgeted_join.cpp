#include "answers/actual_results.hpp"
#include "budget/budget_figures.hpp"
#include "budget/budgeted_joins.hpp"
#include "case/compare_case.hpp"
#include "duckdb_database.hpp"

namespace hashmill::perf {
namespace {

void create(DuckDb& duck, const std::string& name, const NumberedKeys& side) {
  duck.create(name, {{"k", side.keys, 8}, {"n", side.numbers, 8}}, side.rows);
}

/// Peer: DuckDB's join of two tables in a file within limited memory, whose rows are added up.
class DuckDbBudgetedJoin : public Operation {
 public:
  explicit DuckDbBudgetedJoin(const BudgetedJoin& join)
      : join_(join), database_(join.directory, join.num_threads, join.budget, [&](DuckDb& duck) {
          create(duck, "r", join.right);
          create(duck, "s", join.left);
        }) {}

  bool runs_in(RunMemory memory) const override { return memory == RunMemory::fresh; }
  void prepare(RunMemory) override { sum_ = {}; }
  void run() override {
    sum_ = database_.sum(
        "SELECT count(*) AS count, coalesce(sum(s.n * r.n), 0)::HUGEINT AS sum "
        "FROM s JOIN r USING (k)");
  }
  std::string verify() override { return compare_tallies(join_.expected, sum_); }
  std::uint64_t num_items() const override { return join_.rows(); }
  ByteBudget traffic() const override { return {static_cast<double>(join_.bytes()), 0}; }
  std::vector<RunFigure> figures() const override {
    return {budget_figure(join_.budget, join_.bytes())};
  }

 private:
  BudgetedJoin join_;
  DuckDbDatabase database_;
  Tally sum_;
};

std::string left_out(const CompareCase&) { return DuckDb::is_there() ? "" : duckdb_is_missing; }

std::unique_ptr<Operation> make(const BudgetedJoin& join) {
  return std::make_unique<DuckDbBudgetedJoin>(join);
}

const RegisteredBudgetedJoinPeer peer({{.name = "duckdb",
                                        .kind = OperationKind::both_sides,
                                        .structure = "DuckDB",
                                        .runs_on = RunsOn::host_threads,
                                        .axes = {.queries = true, .sides = true, .budget = true},
                                        .is_peer = true,
                                        .left_out = left_out},
                                       make});

}  // namespace
}  // namespace hashmill::perf
