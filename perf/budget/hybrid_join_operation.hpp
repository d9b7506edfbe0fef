#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/hybrid_hash_join.hpp>
#include <string>

#include "budgeted_operation.hpp"
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
class HybridJoinOperation
    : public BudgetedOperation<Exec, NumberedSides<Exec>, HybridHashJoinOptions,
                               HybridHashJoinStatistics> {
  using Base =
      BudgetedOperation<Exec, NumberedSides<Exec>, HybridHashJoinOptions, HybridHashJoinStatistics>;
  using Columns = typename NumberedSides<Exec>::Columns;

 public:
  HybridJoinOperation(const Exec& exec, const NumberedSides<Exec>& sides, std::uint64_t budget,
                      const std::string& directory)
      : Base(exec, sides, budget, directory) {
    std::uint64_t& rounds = this->options().rounds;
    const std::uint64_t right_bytes = sides.right().rows() * Columns::bytes_of_row;
    rounds = std::clamp<std::uint64_t>(4 * right_bytes / budget, rounds, 1 << 12);
  }

 protected:
  HybridHashJoinStatistics add_up(Tally& sum) override {
    const auto& exec = this->exec();
    const auto add = [&](const auto& joined) {
      const auto& left = joined.template left_column<1>().values;
      const auto& right = joined.template right_column<1>().values;
      using Column = std::decay_t<decltype(left)>;
      sum.count += joined.size();
      sum.weight += tally<std::uint64_t>(exec, joined.size(), SumPairs<Column>{left, right});
    };
    const Columns &left = this->data().left(), &right = this->data().right();
    auto join = hybrid_hash_join(exec, HybridJoinKind::inner, left.batch(0, 0), right.batch(0, 0),
                                 this->options());
    for_each_batch(right, [&](const auto& batch) { join.add_right(exec, batch); });
    join.finish_right(exec);
    for_each_batch(left, [&](const auto& batch) { join.add_left(exec, batch, add); });
    join.finish_left(exec, add);
    return join.statistics();
  }

 private:
  template <class Add>
  static void for_each_batch(const Columns& side, const Add& add) {
    for (std::uint64_t first = 0; first < side.rows(); first += Base::batch_rows) {
      add(side.batch(first, std::min(Base::batch_rows, side.rows() - first)));
    }
  }
};

}  // namespace hashmill::perf
