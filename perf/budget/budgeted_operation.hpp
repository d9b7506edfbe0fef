#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "answers/actual_results.hpp"
#include "budget_figures.hpp"
#include "case/operation.hpp"
#include "run/seconds_of.hpp"

namespace hashmill::perf {

/// An operation of ours on `data` within a budget, whose result is added up. What it does is left
/// to write: `add_up(sum)`, which returns statistics of the library.
template <class Exec, class Data, class Options, class Statistics>
class BudgetedOperation : public Operation {
 public:
  /// The data outlives it. What does not fit goes to a file in `directory`.
  BudgetedOperation(const Exec& exec, const Data& data, std::uint64_t budget,
                    const std::string& directory)
      : exec_(exec), data_(data) {
    options_.budget.device = budget;
    options_.budget.directory = directory;
  }

  bool runs_in(RunMemory memory) const override { return memory == RunMemory::fresh; }
  void prepare(RunMemory) override { sum_ = {}; }
  void run() override {
    seconds_ = seconds_of([&] { statistics_ = add_up(sum_); });
  }
  std::string verify() override { return compare_tallies(data_.expected(), sum_); }
  std::uint64_t num_items() const override { return data_.rows(); }
  ByteBudget traffic() const override { return {static_cast<double>(data_.bytes()), 0}; }
  std::vector<RunFigure> figures() const override {
    return budget_figures(exec_, options_.budget.device, data_.bytes(), options_.budget.directory,
                          statistics_, seconds_);
  }

 protected:
  static constexpr std::uint64_t batch_rows = std::uint64_t{1} << 17;

  virtual Statistics add_up(Tally& sum) = 0;
  const Exec& exec() const { return exec_; }
  const Data& data() const { return data_; }
  Options& options() { return options_; }

 private:
  Exec exec_;
  const Data& data_;
  Options options_;
  Statistics statistics_;
  Tally sum_;
  double seconds_ = 0;
};

}  // namespace hashmill::perf
