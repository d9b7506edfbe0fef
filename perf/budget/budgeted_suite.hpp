#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "case/suite.hpp"
#include "machine/execution_spaces.hpp"
#include "machine/free_memory.hpp"

namespace hashmill::perf {

/// The operations of one execution space within limited memory, and beside them the one that takes
/// what it needs, which `unlimited` makes. `Data<Exec>` is made of the axes of a case. `Make` makes
/// operations: `Make::ours(exec, data, budget, directory)`, and `Make::peer(name, ...)` those of a
/// peer, or none.
template <class Exec, template <class> class Data, class Make>
class BudgetedSuite : public Suite {
 public:
  BudgetedSuite(std::unique_ptr<Suite> unlimited, std::string directory)
      : unlimited_(std::move(unlimited)), directory_(std::move(directory)) {}

  std::string backend() const override { return Exec::name(); }
  unsigned key_bits() const override { return 64; }
  void clear() override {
    data_.reset();
    unlimited_->clear();
  }

  std::unique_ptr<Operation> make_operation(const CompareCase& wanted) override {
    if (!wanted.algorithm->axes.budget) {
      clear();
      return unlimited_->make_operation(wanted);
    }
    use_data(wanted.data);
    const std::uint64_t budget = wanted.result.budget.of(data_->bytes());
    if constexpr (is_host_space<Exec>) {
      auto peer = Make::peer(wanted.algorithm->name, exec_, *data_, budget, directory_);
      if (peer != nullptr) return peer;
    }
    return Make::ours(exec_, *data_, budget, directory_);
  }

 private:
  void use_data(const DataAxes& wanted) {
    if (data_ && held_ == wanted) return;
    clear();
    const std::uint64_t rows = wanted.num_keys + wanted.num_queries;
    require_free_memory<typename Exec::memory_space>(rows * Make::bytes_of_row,
                                                     "rows for limited memory");
    data_.emplace(exec_, wanted);
    held_ = wanted;
  }

  std::unique_ptr<Suite> unlimited_;
  std::string directory_;
  Exec exec_;
  std::optional<Data<Exec>> data_;
  DataAxes held_;
};

/// A suite for each execution space compiled in, beside those that do not limit memory.
template <template <class> class Data, class Make>
std::vector<std::unique_ptr<Suite>> make_budgeted_suites(
    std::vector<std::unique_ptr<Suite>> unlimited, const std::string& directory) {
  std::vector<std::unique_ptr<Suite>> suites;
  for_each_execution_space([&]<class Exec>(TypeTag<Exec>) {
    suites.push_back(std::make_unique<BudgetedSuite<Exec, Data, Make>>(
        std::move(unlimited.at(suites.size())), directory));
  });
  return suites;
}

}  // namespace hashmill::perf
