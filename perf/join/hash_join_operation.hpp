#pragma once

#include <cstdint>
#include <hashmill/gather.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/join_values.hpp>
#include <string>

#include "answers/actual_results.hpp"
#include "case/operation.hpp"
#include "keys/payload.hpp"
#include "run/workbench.hpp"

namespace hashmill::perf {

// Ways to join from nothing: the keys are the right side, the queries the left. Results have them
// the other way round, as TallyJoined takes them. The memory of results is used again until
// `release`.

/// The numbers of both rows, by `hash_join`.
template <class Bench, JoinStrategy Strategy = JoinStrategy::automatic>
class JoinedRows {
 public:
  using Row = std::uint32_t;
  using Pairs = RowPairs<Row, Row, typename Bench::memory_space>;
  static constexpr std::uint64_t payload_bytes = 0;
  static constexpr std::uint64_t bytes_a_pair = 2 * sizeof(Row);

  JoinedRows(Bench&, JoinKind kind) : kind_(kind) {}
  Pairs run(Bench& bench) {
    hash_join(bench.exec(), kind_, bench.queries(), bench.keys(), EveryPair{},
              HashJoinOptions<Strategy>{}, result_, bench.workspace());
    return {result_.right, result_.left};
  }
  void release() { result_ = {}; }

 private:
  JoinKind kind_;
  Pairs result_;
};

/// A column of each side, which travels with the keys: `join_values`.
template <class Bench, class Value>
class CarriedPayloads {
 public:
  using Pairs = JoinedValues<Value, Value, typename Bench::memory_space>;
  static constexpr std::uint64_t payload_bytes = sizeof(Value);
  static constexpr std::uint64_t bytes_a_pair = 2 * sizeof(Value);

  explicit CarriedPayloads(Bench& bench)
      : of_keys_(make_payloads<Value>(bench.exec(), bench.keys().size())),
        of_queries_(make_payloads<Value>(bench.exec(), bench.queries().size())) {}
  Pairs run(Bench& bench) {
    join_values(bench.exec(), bench.queries(), of_queries_, bench.keys(), of_keys_, {}, result_,
                bench.workspace());
    return {result_.right, result_.left};
  }
  void release() { result_ = {}; }

 private:
  using Column = Kokkos::View<Value*, typename Bench::memory_space>;
  Column of_keys_, of_queries_;
  Pairs result_;
};

/// A column of each side, which is gathered by the rows that `hash_join` gives.
template <class Bench, class Value, JoinStrategy Strategy = JoinStrategy::automatic>
class GatheredPayloads {
 public:
  using Pairs = JoinedValues<Value, Value, typename Bench::memory_space>;
  static constexpr std::uint64_t payload_bytes = sizeof(Value);
  static constexpr std::uint64_t bytes_a_pair = 2 * sizeof(Value) + JoinedRows<Bench>::bytes_a_pair;

  explicit GatheredPayloads(Bench& bench)
      : rows_(bench, JoinKind::inner),
        of_keys_(make_payloads<Value>(bench.exec(), bench.keys().size())),
        of_queries_(make_payloads<Value>(bench.exec(), bench.queries().size())) {}
  Pairs run(Bench& bench) {
    const auto rows = rows_.run(bench);
    const auto& exec = bench.exec();
    if (result_.size() != rows.size()) {
      release();
      result_ = {backends::allocate<Column>(exec, "hashmill::perf::left", rows.size()),
                 backends::allocate<Column>(exec, "hashmill::perf::right", rows.size())};
    }
    gather(exec, of_keys_, rows.left, result_.left);
    gather(exec, of_queries_, rows.right, result_.right);
    return result_;
  }
  void release() {
    rows_.release();
    result_ = {};
  }

 private:
  using Column = Kokkos::View<Value*, typename Bench::memory_space>;
  JoinedRows<Bench, Strategy> rows_;
  Column of_keys_, of_queries_;
  Pairs result_;
};

/// Bytes that a join of so many rows of both sides takes beside its result: the rows' records
/// twice, and their payloads.
template <class Key>
constexpr std::uint64_t join_work_bytes(std::uint64_t rows, std::uint64_t payload_bytes) {
  const std::uint64_t value = std::max<std::uint64_t>(payload_bytes, sizeof(std::uint32_t));
  return rows * (2 * (sizeof(Key) + value) + payload_bytes);
}

/// Throws `CapacityError` unless the memory of a join of both sides from nothing is free.
template <class Bench>
void require_join_memory(const Bench& bench, std::uint64_t payload_bytes,
                         std::uint64_t result_bytes) {
  const std::uint64_t rows = bench.keys().size() + bench.queries().size();
  Bench::require_memory(join_work_bytes<typename Bench::Key>(rows, payload_bytes) + result_bytes,
                        "join");
}

/// A join of two sides that are in no table: everything is in its time.
template <class Bench, class Joined>
class HashJoinOperation : public Operation {
 public:
  /// `expected`: the right result; `how` goes to `Joined`.
  template <class... How>
  HashJoinOperation(Bench& bench, const Tally& expected, How... how)
      : bench_(bench),
        expected_(expected),
        joined_((require_join_memory(bench, Joined::payload_bytes,
                                     expected.count * Joined::bytes_a_pair),
                 bench),
                how...) {}

  void prepare(RunMemory memory) override {
    pairs_ = {};
    if (memory == RunMemory::kept) return;
    joined_.release();
    bench_.workspace() = {};
  }
  void run() override {
    pairs_ = joined_.run(bench_);
    bench_.exec().fence("hashmill::perf::HashJoinOperation: the clock stops");
  }
  std::string verify() override {
    using Pairs = typename Joined::Pairs;
    return compare_tallies(expected_,
                           tally(bench_.exec(), pairs_.size(), TallyJoined<Pairs>{pairs_}));
  }
  std::uint64_t num_items() const override {
    return bench_.keys().size() + bench_.queries().size();
  }
  ByteBudget traffic() const override {
    return hash_join_budget(bench_.traffic_sizes(), static_cast<double>(Joined::payload_bytes));
  }

 private:
  Bench& bench_;
  Tally expected_;
  Joined joined_;
  typename Joined::Pairs pairs_;
};

}  // namespace hashmill::perf
