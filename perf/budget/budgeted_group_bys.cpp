#include "budgeted_group_bys.hpp"

#include "budget_figures.hpp"
#include "group_by/group_by_algorithms.hpp"

namespace hashmill::perf {

const Workload budgeted_group_bys_workload = {
    .rate_counter = "Grows_per_second",
    .rate_heading = "Mrows/s",
    .rate_factor = 1e3,
    .rate_decimals = 1,
    .keeps_memory = false,
    .figures = budget_columns(),
    .legend =
        std::string("n: rows, of a key of 8 bytes and a value of 4 each\n"
                    "budget: memory that the group-by may take beside them, in percent of their "
                    "bytes\n"
                    "time: from the rows, ours in batches of 2^17, DuckDB's in a database file, to "
                    "the sum of a\n"
                    "function of key, sum and count over all groups\n") +
        budget_legend("group-by")};

std::span<const Algorithm> budgeted_group_by_algorithms() {
  static const std::vector<OurGroupBy> ours = {
      {{.name = "hybrid",
        .kind = OperationKind::group,
        .structure = "hybrid_hash_aggregation",
        .axes = {.groups = true, .budget = true}},
       GroupWay::automatic},
      our_group_bys().front(),  // takes the memory that it needs
  };
  static const std::vector<Algorithm> all = RegisteredBudgetedGroupByPeer::list_after(ours);
  return all;
}

}  // namespace hashmill::perf
