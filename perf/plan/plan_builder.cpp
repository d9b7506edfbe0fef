#include "plan_builder.hpp"

#include <hashmill/error.hpp>
#include <utility>

namespace hashmill::perf {

void PlanBuilder::add(CompareCase row) {
  const Algorithm& algorithm = *row.algorithm;
  const std::string reason = algorithm.left_out ? algorithm.left_out(row) : std::string();
  if (reason.empty()) {
    if (seen_.insert(benchmark_name(row)).second) plan_.cases.push_back(std::move(row));
    return;
  }
  const std::string line = std::string(algorithm.structure) + " is left out" +
                           (reason.starts_with(':') ? "" : " ") + reason;
  if (seen_.insert(line).second) plan_.notes.push_back(line);
}

Plan PlanBuilder::finish() {
  if (!plan_.cases.empty()) return std::move(plan_);
  std::string reason = "--algorithm, --backend: nothing is left to run";
  for (const std::string& note : plan_.notes) reason += "; " + note;
  throw InvalidArgument(reason);
}

}  // namespace hashmill::perf
