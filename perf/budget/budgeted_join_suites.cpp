#include <optional>

#include "budgeted_joins.hpp"
#include "hybrid_join_operation.hpp"
#include "join/join_suites.hpp"
#include "machine/execution_spaces.hpp"
#include "machine/free_memory.hpp"
#include "numbered_sides.hpp"

namespace hashmill::perf {
namespace {

/// The joins of one execution space within limited memory, and beside them the one that takes what
/// it needs, which `unlimited` makes.
template <class Exec>
class BudgetedJoinSuite : public Suite {
 public:
  BudgetedJoinSuite(std::unique_ptr<Suite> unlimited, std::string directory)
      : unlimited_(std::move(unlimited)), directory_(std::move(directory)) {}

  std::string backend() const override { return Exec::name(); }
  unsigned key_bits() const override { return 64; }
  void clear() override {
    sides_.reset();
    unlimited_->clear();
  }

  std::unique_ptr<Operation> make_operation(const CompareCase& wanted) override {
    if (!wanted.algorithm->axes.budget) {
      clear();
      return unlimited_->make_operation(wanted);
    }
    use_data(wanted.data);
    const std::uint64_t budget = wanted.result.budget.of(sides_->bytes());
    if constexpr (is_host_space<Exec>) {
      if (const auto* const peer = RegisteredBudgetedJoinPeer::find(wanted.algorithm->name)) {
        return peer->make({sides_->left().data(), sides_->right().data(), exec_.concurrency(),
                           budget, directory_, sides_->expected()});
      }
    }
    return std::make_unique<HybridJoinOperation<Exec>>(exec_, *sides_, budget, directory_);
  }

 private:
  void use_data(const DataAxes& wanted) {
    if (sides_ && held_ == wanted) return;
    clear();
    const std::uint64_t rows = wanted.num_keys + wanted.num_queries;
    require_free_memory<typename Exec::memory_space>(
        rows * NumberedSides<Exec>::Columns::bytes_of_row, "sides of a join");
    sides_.emplace(exec_, wanted);
    held_ = wanted;
  }

  std::unique_ptr<Suite> unlimited_;
  std::string directory_;
  Exec exec_;
  std::optional<NumberedSides<Exec>> sides_;
  DataAxes held_;
};

}  // namespace

std::vector<std::unique_ptr<Suite>> make_budgeted_join_suites(const std::string& directory) {
  std::vector<std::unique_ptr<Suite>> suites, unlimited = make_join_suites_64();
  for_each_execution_space([&]<class Exec>(TypeTag<Exec>) {
    suites.push_back(std::make_unique<BudgetedJoinSuite<Exec>>(
        std::move(unlimited.at(suites.size())), directory));
  });
  return suites;
}

}  // namespace hashmill::perf
