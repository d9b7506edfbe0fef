#pragma once

#include <string>
#include <vector>

#include "budget/budget_options.hpp"
#include "group_by_plan.hpp"

namespace hashmill::perf {

/// The command `group-by`, for CLI11.
class GroupByCommand {
 public:
  /// Lets `app` take the options; this must outlive it.
  void add_to(CLI::App& app);

  /// What was asked for, once `app` has parsed; `rest` are the arguments that it does not know.
  /// Throws `InvalidArgument` with one line that says what is wrong.
  GroupByOptions finish(const CLI::App& app, const std::vector<std::string>& rest);

 private:
  GroupByOptions options_;
  WorkloadCommand common_;
  BudgetCommand budget_;
  std::vector<std::string> aggregates_ = {"sum"};
};

}  // namespace hashmill::perf
