#pragma once

#include <cstdint>
#include <hashmill/hash_join.hpp>
#include <string>

#include "hash_join_operation.hpp"

namespace hashmill::perf {

/// The number of pairs of both sides by a strategy of `hash_join`.
template <class Bench, JoinStrategy Strategy = JoinStrategy::automatic>
class CountJoinOperation : public Operation {
 public:
  /// `expected`: the right result.
  CountJoinOperation(Bench& bench, const Tally& expected, JoinKind kind)
      : bench_(bench), expected_(expected.count), kind_(kind) {
    require_join_memory(bench, 0, 0);
  }

  void prepare(RunMemory memory) override {
    if (memory == RunMemory::fresh) bench_.workspace() = {};
  }
  void run() override {
    num_pairs_ = hash_join_size(bench_.exec(), kind_, bench_.queries(), bench_.keys(), EveryPair{},
                                HashJoinOptions<Strategy>{}, bench_.workspace());
    bench_.exec().fence("hashmill::perf::CountJoinOperation: the clock stops");
  }
  std::string verify() override {
    if (num_pairs_ == expected_) return {};
    return std::to_string(num_pairs_) + " pairs, expected " + std::to_string(expected_);
  }
  std::uint64_t num_items() const override {
    return bench_.keys().size() + bench_.queries().size();
  }
  ByteBudget traffic() const override { return counted_join_budget(bench_.traffic_sizes()); }

 private:
  Bench& bench_;
  std::uint64_t expected_;
  JoinKind kind_;
  std::uint64_t num_pairs_ = 0;
};

}  // namespace hashmill::perf
