#pragma once

#include <hashmill/distributed_join.hpp>
#include <hashmill/gather.hpp>
#include <hashmill/hash_join.hpp>
#include <memory>
#include <string>
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
  LocalJoinRun(std::shared_ptr<const Sides> sides, KeptWorkspace<Sides> workspace)
      : sides_(std::move(sides)), workspace_(std::move(workspace)) {}

  void clear() override {
    left_ = {};
    right_ = {};
  }
  void run() override {
    const auto& exec = sides_->exec();
    const auto rows =
        hash_join(exec, JoinKind::inner, std::get<0>(sides_->left()), std::get<0>(sides_->right()),
                  EveryPair{}, HashJoinOptions<>{}, *workspace_);
    left_ = gather_all(exec, sides_->left(), rows.left);
    right_ = gather_all(exec, sides_->right(), rows.right);
  }
  std::uint64_t num_wrong() const override { return sides_->num_wrong(left_, right_); }

 private:
  std::shared_ptr<const Sides> sides_;
  KeptWorkspace<Sides> workspace_;
  typename Sides::LeftColumns left_;
  typename Sides::RightColumns right_;
};

/// Columns as a side of a distributed join.
template <class Columns>
auto side_of(const Columns& columns) {
  return std::apply([](const auto&... column) { return join_side<0>(column...); }, columns);
}

/// The joined rows of all ranks' sides.
template <class Sides>
auto join_over(const Communicator& ranks, const Sides& sides, const DistributedJoinOptions& options,
               Workspace<typename Sides::memory_space>& workspace) {
  return distributed_join(sides.exec(), ranks, JoinKind::inner, side_of(sides.left()),
                          side_of(sides.right()), options, workspace);
}

/// A plan in words: "repartition, 2 rounds, heavy 1 left".
inline std::string in_words(const DistributedJoinPlan& plan) {
  if (plan.movement == JoinMovement::broadcast_left) return "broadcast left";
  if (plan.movement == JoinMovement::broadcast_right) return "broadcast right";
  std::string text = "repartition, " + std::to_string(plan.rounds);
  text += plan.rounds == 1 ? " round" : " rounds";
  const auto add_heavy = [&](std::uint64_t keys, const char* side) {
    if (keys > 0) text += ", heavy " + std::to_string(keys) + " " + side;
  };
  add_heavy(plan.heavy_left, "left");
  add_heavy(plan.heavy_right, "right");
  return plan.filters_left ? text + ", filter" : text;
}

/// The join of all ranks' sides.
template <class Sides>
class DistributedJoinRun final : public RankRun {
 public:
  DistributedJoinRun(std::shared_ptr<const Sides> sides, KeptWorkspace<Sides> workspace,
                     Communicator timed, const DistributedJoinOptions& options)
      : sides_(std::move(sides)),
        workspace_(std::move(workspace)),
        timed_(std::move(timed)),
        options_(options) {}

  void clear() override { joined_ = {}; }
  void run() override { joined_ = join_over(timed_, *sides_, options_, *workspace_); }
  std::string plan() const override {
    if (timed_.size() == 1) return "";
    return in_words(plan_distributed_join(sides_->exec(), timed_, JoinKind::inner,
                                          side_of(sides_->left()), side_of(sides_->right()),
                                          options_, *workspace_));
  }
  std::uint64_t num_wrong() const override {
    const auto values_of = [](const auto&... columns) { return std::tuple(columns.values...); };
    return sides_->num_wrong(std::apply(values_of, joined_.left),
                             std::apply(values_of, joined_.right));
  }

 private:
  using Temporary = Workspace<typename Sides::memory_space>;
  using Rows = decltype(join_over(std::declval<const Communicator&>(), std::declval<const Sides&>(),
                                  DistributedJoinOptions{}, std::declval<Temporary&>()));

  std::shared_ptr<const Sides> sides_;
  KeptWorkspace<Sides> workspace_;
  Communicator timed_;
  DistributedJoinOptions options_;
  Rows joined_;
};

/// The options with which all rows of both sides go to the ranks of their keys, as in the paper.
inline DistributedJoinOptions repartition_alone() {
  DistributedJoinOptions options;
  options.movement = JoinMovement::repartition;
  options.heavy_keys = HeavyKeys::never;
  options.left_filter = Prefilter::never;
  return options;
}

/// Joins the sides of all ranks, beside the plain way to do so, and beside the same join of one
/// rank's sides, on all ranks at once.
template <class Sides>
std::vector<RankRow> join_rows(const Ranks& ranks, const RankCase& input) {
  const RankAndLocalKeys<Sides> sides(input.keys, ranks.control);
  const auto workspace = make_kept_workspace<Sides>();
  std::vector<RankRow> rows;
  const auto add = [&](const char* name, const DistributedJoinOptions& how) {
    rows.push_back(
        {name_with(name, {how.compression, how.levels}), false,
         std::make_unique<DistributedJoinRun<Sides>>(sides.all, workspace, ranks.timed, how),
         sides.all->num_rows()});
  };
  for (const Travel& travel : ranks.travels) {
    DistributedJoinOptions by_rule, repartition = repartition_alone();
    by_rule.compression = repartition.compression = travel.compression;
    by_rule.levels = repartition.levels = travel.levels;
    add("distributed_join", by_rule);
    if (ranks.control.size() > 1) add("repartition alone", repartition);
  }
  rows.push_back({"hash_join and gather of a rank's rows", true,
                  std::make_unique<LocalJoinRun<Sides>>(sides.local, workspace),
                  sides.local->num_rows()});
  return rows;
}

}  // namespace hashmill::perf
