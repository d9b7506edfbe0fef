#pragma once

#include <hashmill/gather.hpp>
#include <hashmill/hash_join.hpp>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "rank_keys.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {

// `Sides` are what a rank has of both sides of a join, such as RandomSides: a tuple of columns of
// each, whose first is the key. They know what the joined rows must be.

/// New columns of the values of rows.
template <class Exec, class... Columns, class Rows>
std::tuple<Columns...> gather_all(const Exec& exec, const std::tuple<Columns...>& columns,
                                  const Rows& rows) {
  const auto gathered = [&]<class Column>(const Column& column) {
    const auto values = backends::allocate<Column>(exec, "hashmill::perf::joined", rows.extent(0));
    gather(exec, column, rows, values);
    return values;
  };
  return std::apply([&](const Columns&... column) { return std::tuple(gathered(column)...); },
                    columns);
}

/// The join of one rank's sides by `hash_join`, whose row numbers gather the columns of both.
template <class Sides>
class LocalJoinRun final : public RankRun {
 public:
  explicit LocalJoinRun(std::shared_ptr<const Sides> sides) : sides_(std::move(sides)) {}

  void clear() override {
    left_ = {};
    right_ = {};
  }
  void run() override {
    const auto& exec = sides_->exec();
    const auto rows =
        hash_join(exec, JoinKind::inner, std::get<0>(sides_->left()), std::get<0>(sides_->right()),
                  EveryPair{}, HashJoinOptions<>{}, workspace_);
    left_ = gather_all(exec, sides_->left(), rows.left);
    right_ = gather_all(exec, sides_->right(), rows.right);
  }
  std::uint64_t num_wrong() const override { return sides_->num_wrong(left_, right_); }

 private:
  std::shared_ptr<const Sides> sides_;
  Workspace<typename Sides::memory_space> workspace_;
  typename Sides::LeftColumns left_;
  typename Sides::RightColumns right_;
};

/// Joins the sides of all ranks, beside the same join of one rank's sides, on all ranks at once.
template <class Sides>
std::vector<RankRow> join_rows(const Ranks& ranks, const RankCase& input) {
  const RankAndLocalKeys<Sides> sides(input.keys, ranks.control);
  std::vector<RankRow> rows;
  rows.push_back({"hash_join and gather of a rank's rows", true,
                  std::make_unique<LocalJoinRun<Sides>>(sides.local), sides.local->num_rows()});
  return rows;
}

}  // namespace hashmill::perf
