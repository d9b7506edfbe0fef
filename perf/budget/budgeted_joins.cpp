#include "budgeted_joins.hpp"

#include "budget_figures.hpp"
#include "join/join_algorithms.hpp"

namespace hashmill::perf {
const Workload budgeted_joins_workload = {
    .rate_counter = "Gtuples_per_second",
    .rate_heading = "Mtuples/s",
    .rate_factor = 1e3,
    .rate_decimals = 1,
    .keeps_memory = false,
    .figures = budget_columns(),
    .legend =
        std::string(
            "n: rows of the right side, of a key and a payload of 8 bytes each, as those of the "
            "left\n"
            "budget: memory that the join may take beside its sides, in percent of their bytes\n"
            "time: from both sides, ours in batches of 2^17 rows, DuckDB's in a database file, to "
            "the "
            "sum\n"
            "of a function of both payloads over all joined rows\n") +
        budget_legend("join")};

std::span<const Algorithm> budgeted_join_algorithms() {
  static const std::vector<OurJoin> ours = {
      {{.name = "hybrid",
        .kind = OperationKind::both_sides,
        .structure = "hybrid_hash_join",
        .axes = {.queries = true, .sides = true, .budget = true}},
       std::nullopt},
      our_joins().front(),  // takes the memory that it needs
  };
  static const std::vector<Algorithm> all = RegisteredBudgetedJoinPeer::list_after(ours);
  return all;
}

}  // namespace hashmill::perf
