#pragma once

#include <cstdint>
#include <hashmill/array_table.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/intersect.hpp>
#include <hashmill/join.hpp>
#include <hashmill/linear_probing.hpp>
#include <string>

#include "../hash_join_operation.hpp"

namespace hashmill::perf {

/// The number of pairs of both sides by a strategy of `hash_join`: with the table that it takes,
/// and `join_size` or `intersect_count` in place of the pairs. `partitioned` and `automatic` have
/// no such form, so their pairs are written, and counted in what they hold.
template <class Bench>
class CountJoinOperation : public Operation {
 public:
  CountJoinOperation(Bench& bench, JoinStrategy strategy)
      : bench_(bench), strategy_(strategy), rows_(bench, strategy) {
    require_join_memory(bench, 0, writes_pairs() ? JoinedRows<Bench>::bytes_a_pair : 0);
  }

  void run() override {
    num_pairs_ = count();
    bench_.exec().fence("hashmill::perf::CountJoinOperation: the clock stops");
  }
  std::string verify() override {
    const std::uint64_t expected = bench_.expected_answers().pairs.count;
    if (num_pairs_ == expected) return {};
    return std::to_string(num_pairs_) + " pairs, expected " + std::to_string(expected);
  }
  std::uint64_t num_items() const override {
    return bench_.keys().size() + bench_.queries().size();
  }
  ByteBudget traffic() const override {
    return writes_pairs() ? hash_join_budget(bench_.traffic_sizes())
                          : counted_join_budget(bench_.traffic_sizes());
  }

 private:
  using Key = typename Bench::Key;
  using Memory = typename Bench::memory_space;
  using Graph = typename Bench::Graph;

  bool writes_pairs() const {
    return strategy_ == JoinStrategy::automatic || strategy_ == JoinStrategy::partitioned;
  }

  std::uint64_t count() {
    switch (strategy_) {
      case JoinStrategy::look_up:
        return size_with(Graph(bench_.exec(), bench_.keys(), {}, bench_.workspace()));
      case JoinStrategy::intersect: {
        const Graph table(bench_.exec(), bench_.keys(), {}, bench_.workspace());
        return intersect_count(bench_.exec(), table, bench_.queries(), bench_.workspace());
      }
      case JoinStrategy::unique_keys:
        return size_with(LinearProbing<Key, Memory, UniqueKeys>(bench_.exec(), bench_.keys()));
      case JoinStrategy::array:
        return size_with(ArrayTable<Key, Memory>(bench_.exec(), bench_.keys()));
      default:
        return rows_.run(bench_).size();
    }
  }
  template <class Table>
  std::uint64_t size_with(const Table& table) {
    return join_size(bench_.exec(), JoinKind::inner, table, bench_.queries());
  }

  Bench& bench_;
  JoinStrategy strategy_;
  JoinedRows<Bench> rows_;
  std::uint64_t num_pairs_ = 0;
};

}  // namespace hashmill::perf
