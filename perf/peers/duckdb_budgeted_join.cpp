#include "budget/budgeted_joins.hpp"
#include "case/compare_case.hpp"
#include "duckdb_sum.hpp"

namespace hashmill::perf {
namespace {

void create(DuckDb& duck, const std::string& name, const NumberedKeys& side) {
  duck.create(name, {{"k", side.keys, 8}, {"n", side.numbers, 8}}, side.rows);
}

std::string left_out(const CompareCase&) { return DuckDb::is_there() ? "" : duckdb_is_missing; }

/// Peer: DuckDB's join of two tables in a file, whose rows are added up.
std::unique_ptr<Operation> make(const BudgetedJoin& join) {
  DuckDbDatabase database(join.directory, join.num_threads, join.budget, [&](DuckDb& duck) {
    create(duck, "r", join.right);
    create(duck, "s", join.left);
  });
  const char* const query =
      "SELECT count(*) AS count, coalesce(sum(s.n * r.n), 0)::HUGEINT AS sum "
      "FROM s JOIN r USING (k)";
  return std::make_unique<DuckDbSum>(
      DuckSum{query, join.rows(), join.bytes(), join.budget, join.expected}, std::move(database));
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
