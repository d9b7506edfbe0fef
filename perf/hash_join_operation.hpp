#pragma once

#include <cstdint>
#include <hashmill/hash_join.hpp>
#include <hashmill/join_values.hpp>
#include <string>

#include "actual_results.hpp"
#include "operation.hpp"
#include "workbench.hpp"

namespace hashmill::perf {

/// Both sides' rows joined from nothing: the keys are the right side, the queries the left.
template <class Bench, JoinStrategy Strategy>
class JoinedRows {
 public:
  using Row = std::uint32_t;
  using Pairs = RowPairs<Row, Row, typename Bench::memory_space>;

  explicit JoinedRows(Bench&) {}
  Pairs run(Bench& bench) const {
    HashJoinOptions options;
    options.strategy = Strategy;
    const auto pairs = hash_join(bench.exec(), JoinKind::inner, bench.keys(), bench.queries(),
                                 EveryPair{}, options, bench.workspace());
    return {pairs.right, pairs.left};
  }
};

/// The same with a column of 4 bytes a side: the rows' numbers, so that results can be checked.
template <class Bench>
class JoinedPayloads {
 public:
  using Row = std::uint32_t;
  using Pairs = RowPairs<Row, Row, typename Bench::memory_space>;

  explicit JoinedPayloads(Bench& bench)
      : of_keys_(numbers(bench, bench.keys().size())),
        of_queries_(numbers(bench, bench.queries().size())) {}
  Pairs run(Bench& bench) const {
    const auto joined = join_values(bench.exec(), bench.keys(), of_keys_, bench.queries(),
                                    of_queries_, {}, bench.workspace());
    return {joined.right, joined.left};
  }

 private:
  using Column = Kokkos::View<Row*, typename Bench::memory_space>;
  struct SetNumber {
    Column column;
    KOKKOS_FUNCTION void operator()(std::int64_t i) const { column(i) = static_cast<Row>(i); }
  };
  static Column numbers(Bench& bench, std::uint64_t count) {
    Column column(Kokkos::view_alloc("hashmill::perf::payload", Kokkos::WithoutInitializing),
                  count);
    Kokkos::parallel_for("hashmill::perf::payload", backends::range(bench.exec(), count),
                         SetNumber{column});
    return column;
  }
  Column of_keys_, of_queries_;
};

/// A join of two sides that are in no table: everything is in its time.
template <class Bench, class Joined>
class HashJoinOperation : public Operation {
 public:
  explicit HashJoinOperation(Bench& bench) : bench_(bench), joined_(bench) {
    const std::uint64_t rows = bench.keys().size() + bench.queries().size();
    const std::uint64_t records = 2 * rows * (sizeof(typename Bench::Key) + sizeof(std::uint32_t));
    Bench::require_memory(records + bench.expected_answers().pairs.count * 8, "pairs");
  }

  void prepare() override { pairs_ = {}; }
  void run() override {
    pairs_ = joined_.run(bench_);
    bench_.exec().fence("hashmill::perf::HashJoinOperation: the clock stops");
  }
  std::string verify() override {
    using Pairs = typename Joined::Pairs;
    return compare_tallies(bench_.expected_answers().pairs,
                           tally(bench_.exec(), pairs_.size(), TallyJoined<Pairs>{pairs_}));
  }
  std::uint64_t num_items() const override {
    return bench_.keys().size() + bench_.queries().size();
  }
  ByteBudget traffic() const override { return hash_join_budget(bench_.traffic_sizes()); }

 private:
  Bench& bench_;
  Joined joined_;
  typename Joined::Pairs pairs_;
};

}  // namespace hashmill::perf
