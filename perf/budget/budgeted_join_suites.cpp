#include "budgeted_joins.hpp"
#include "budgeted_suite.hpp"
#include "hybrid_join_operation.hpp"
#include "join/join_suites.hpp"
#include "numbered_sides.hpp"

namespace hashmill::perf {
namespace {

struct MakeJoins {
  static constexpr std::uint64_t bytes_of_row = 2 * sizeof(std::uint64_t);

  template <class Exec>
  static std::unique_ptr<Operation> ours(const Exec& exec, const NumberedSides<Exec>& sides,
                                         std::uint64_t budget, const std::string& directory) {
    return std::make_unique<HybridJoinOperation<Exec>>(exec, sides, budget, directory);
  }
  template <class Exec>
  static std::unique_ptr<Operation> peer(const std::string& name, const Exec& exec,
                                         const NumberedSides<Exec>& sides, std::uint64_t budget,
                                         const std::string& directory) {
    const auto* const found = RegisteredBudgetedJoinPeer::find(name);
    if (found == nullptr) return nullptr;
    return found->make({sides.left().data(), sides.right().data(), exec.concurrency(), budget,
                        directory, sides.expected()});
  }
};

}  // namespace

std::vector<std::unique_ptr<Suite>> make_budgeted_join_suites(const std::string& directory) {
  return make_budgeted_suites<NumberedSides, MakeJoins>(make_join_suites_64(), directory);
}

}  // namespace hashmill::perf
