#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "case/workload.hpp"
#include "machine/backend_info.hpp"

namespace hashmill::perf {

/// What a plan goes over for each input, the first varying slowest.
struct PlanScope {
  std::vector<const Algorithm*> algorithms;  ///< in the order of the table
  std::vector<TableAxes> tables = {{}};
  std::vector<BackendInfo> backends;
  std::vector<unsigned> threads = {0};  ///< of the host; 0: all that Kokkos has
};

/// Makes the plan of a command, an input at a time.
class Planner {
 public:
  /// Whether an algorithm is to run on a backend.
  using IsWanted = std::function<bool(const Algorithm&, const BackendInfo&)>;

  explicit Planner(PlanScope scope) : scope_(std::move(scope)) {}

  /// Adds the rows of an input, of the algorithms and backends that are wanted. What an algorithm
  /// cannot do becomes a note. Of rows that differ only in axes that their algorithm does not
  /// depend on, the first stays. Throws `InvalidArgument` where the input cannot be made.
  void add(const DataAxes& data, const ResultAxes& result, const IsWanted& is_wanted);

  /// The plan. Throws `InvalidArgument` where it has no rows.
  Plan finish();

 private:
  void add_row(CompareCase row);

  PlanScope scope_;
  Plan plan_;
  std::set<std::string> seen_;
};

}  // namespace hashmill::perf
