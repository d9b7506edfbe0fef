#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/hybrid_hash_join.hpp>
#include <string>
#include <vector>

#include "answers/actual_results.hpp"
#include "budget_figures.hpp"
#include "case/operation.hpp"
#include "numbered_sides.hpp"

namespace hashmill::perf {

/// Adds up the weights of joined rows.
template <class Column>
struct SumPairs {
  Column left, right;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const {
    sum += pair_weight(left(i), right(i));
  }
};

/// `hybrid_hash_join` of sides that come in batches, whose result is added up.
template <class Exec>
class HybridJoinOperation : public Operation {
 public:
  /// The sides outlive it. What does not fit goes to a file in `directory`.
  HybridJoinOperation(const Exec& exec, const NumberedSides<Exec>& sides, std::uint64_t budget,
                      const std::string& directory)
      : exec_(exec), sides_(sides), options_(options_of(sides, budget, directory)) {}

  bool runs_in(RunMemory memory) const override { return memory == RunMemory::fresh; }
  void prepare(RunMemory) override { sum_ = {}; }
  void run() override {
    seconds_ = seconds_of([&] { join(); });
  }
  std::string verify() override { return compare_tallies(sides_.expected(), sum_); }
  std::uint64_t num_items() const override { return sides_.rows(); }
  ByteBudget traffic() const override { return {static_cast<double>(sides_.bytes()), 0}; }
  std::vector<RunFigure> figures() const override {
    return budget_figures(exec_, options_.budget.device, sides_.bytes(), options_.budget.directory,
                          statistics_, seconds_);
  }

 private:
  using Columns = typename NumberedSides<Exec>::Columns;
  static constexpr std::uint64_t batch_rows = std::uint64_t{1} << 17;

  static HybridHashJoinOptions options_of(const NumberedSides<Exec>& sides, std::uint64_t budget,
                                          const std::string& directory) {
    HybridHashJoinOptions options;
    options.budget.device = budget;
    options.budget.directory = directory;
    const std::uint64_t right_bytes = sides.right().rows() * Columns::bytes_of_row;
    options.rounds = std::clamp<std::uint64_t>(4 * right_bytes / budget, options.rounds, 1 << 12);
    return options;
  }
  template <class Add>
  static void for_each_batch(const Columns& side, const Add& add) {
    for (std::uint64_t first = 0; first < side.rows(); first += batch_rows) {
      add(side.batch(first, std::min(batch_rows, side.rows() - first)));
    }
  }
  void join() {
    const auto add_up = [&](const auto& joined) {
      const auto& left = joined.template left_column<1>().values;
      const auto& right = joined.template right_column<1>().values;
      using Column = std::decay_t<decltype(left)>;
      sum_.count += joined.size();
      sum_.weight += tally<std::uint64_t>(exec_, joined.size(), SumPairs<Column>{left, right});
    };
    auto join = hybrid_hash_join(exec_, HybridJoinKind::inner, sides_.left().batch(0, 0),
                                 sides_.right().batch(0, 0), options_);
    for_each_batch(sides_.right(), [&](const auto& batch) { join.add_right(exec_, batch); });
    join.finish_right(exec_);
    for_each_batch(sides_.left(), [&](const auto& batch) { join.add_left(exec_, batch, add_up); });
    join.finish_left(exec_, add_up);
    statistics_ = join.statistics();
  }

  Exec exec_;
  const NumberedSides<Exec>& sides_;
  HybridHashJoinOptions options_;
  HybridHashJoinStatistics statistics_;
  Tally sum_;
  double seconds_ = 0;
};

}  // namespace hashmill::perf
