#pragma once

#include <string>
#include <vector>

#include "budget/budget_options.hpp"
#include "join_plan.hpp"

namespace hashmill::perf {

/// The command `join`, for CLI11.
class JoinCommand {
 public:
  /// Lets `app` take the options; this must outlive it.
  void add_to(CLI::App& app);

  /// What was asked for, once `app` has parsed; `rest` are the arguments that it does not know.
  /// Throws `InvalidArgument` with one line that says what is wrong.
  JoinCommandOptions finish(const CLI::App& app, const std::vector<std::string>& rest);

 private:
  JoinCommandOptions options_;
  WorkloadCommand common_;
  BudgetCommand budget_;
  std::vector<std::string> kinds_, payloads_;
  std::vector<double> scale_factors_;
};

}  // namespace hashmill::perf
