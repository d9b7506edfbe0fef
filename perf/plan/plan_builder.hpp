#pragma once

#include <set>
#include <string>

#include "case/workload.hpp"

namespace hashmill::perf {

/// A plan while it is made.
class PlanBuilder {
 public:
  /// Takes a row unless it is there, or a note of why it cannot be.
  void add(CompareCase row);

  /// The plan. Throws `InvalidArgument` where it has no rows.
  Plan finish();

 private:
  Plan plan_;
  std::set<std::string> seen_;
};

}  // namespace hashmill::perf
