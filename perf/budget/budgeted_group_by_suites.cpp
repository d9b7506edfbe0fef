#include "budgeted_group_bys.hpp"
#include "budgeted_suite.hpp"
#include "group_by/group_by_suites.hpp"
#include "grouped_rows.hpp"
#include "hybrid_group_operation.hpp"

namespace hashmill::perf {
namespace {

struct MakeGroupBys {
  // Arrays of groups are there while the rows are made.
  static constexpr std::uint64_t bytes_of_row = BudgetedGroupBy::bytes_of_row + 24;

  template <class Exec>
  static std::unique_ptr<Operation> ours(const Exec& exec, const GroupedRows<Exec>& rows,
                                         std::uint64_t budget, const std::string& directory) {
    return std::make_unique<HybridGroupOperation<Exec>>(exec, rows, budget, directory);
  }
  template <class Exec>
  static std::unique_ptr<Operation> peer(const std::string& name, const Exec& exec,
                                         const GroupedRows<Exec>& rows, std::uint64_t budget,
                                         const std::string& directory) {
    const auto* const found = RegisteredBudgetedGroupByPeer::find(name);
    if (found == nullptr) return nullptr;
    return found->make({rows.keys().data(), rows.values().data(), rows.rows(), exec.concurrency(),
                        budget, directory, rows.expected()});
  }
};

}  // namespace

std::vector<std::unique_ptr<Suite>> make_budgeted_group_by_suites(const std::string& directory) {
  return make_budgeted_suites<GroupedRows, MakeGroupBys>(make_group_by_suites_64(), directory);
}

}  // namespace hashmill::perf
