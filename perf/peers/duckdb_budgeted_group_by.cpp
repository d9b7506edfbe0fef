#include "budget/budgeted_group_bys.hpp"
#include "case/compare_case.hpp"
#include "duckdb_sum.hpp"

namespace hashmill::perf {
namespace {

std::string left_out(const CompareCase&) { return DuckDb::is_there() ? "" : duckdb_is_missing; }

/// Peer: DuckDB's group-by of a table in a file, whose groups are added up.
std::unique_ptr<Operation> make(const BudgetedGroupBy& rows) {
  DuckDbDatabase database(rows.directory, rows.num_threads, rows.budget, [&](DuckDb& duck) {
    duck.create("t", {{"k", rows.keys, 8}, {"v", rows.values, 4}}, rows.rows);
  });
  const char* const query =
      "SELECT count(*) AS count, "
      "coalesce(sum((k & 4294967295)::HUGEINT * ((s + n) & 1048575)), 0)::HUGEINT AS sum "
      "FROM (SELECT k, sum(v)::HUGEINT AS s, count(*) AS n FROM t GROUP BY k)";
  return std::make_unique<DuckDbSum>(
      DuckSum{query, rows.rows, rows.bytes(), rows.budget, rows.expected}, std::move(database));
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
