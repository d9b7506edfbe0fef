#pragma once

#include <cstdint>
#include <hashmill/csr.hpp>
#include <hashmill/intersect.hpp>
#include <optional>
#include <string>

#include "actual_results.hpp"
#include "operation.hpp"
#include "workbench.hpp"

namespace hashmill::perf {

/// Join result: how many pairs there are.
template <class Bench>
class JoinCount {
 public:
  using Graph = typename Bench::Graph;

  void run(Bench& bench, const Graph& left, const HashGraphOptions&) {
    num_pairs_ = intersect_count(bench.exec(), left, bench.queries(), bench.workspace());
  }
  std::string verify(const Bench& bench) const {
    const std::uint64_t expected = bench.expected_answers().pairs.count;
    return num_pairs_ == expected
               ? ""
               : std::to_string(num_pairs_) + " pairs, expected " + std::to_string(expected);
  }
  void release() {}
  static std::uint64_t result_bytes(const Bench&) { return 0; }
  static ByteBudget budget(const TrafficSizes& sizes) { return join_count_budget(sizes); }

 private:
  std::uint64_t num_pairs_ = 0;
};

/// Join result: the pairs of rows.
template <class Bench>
class JoinPairs {
 public:
  using Graph = typename Bench::Graph;

  void run(Bench& bench, const Graph& left, const HashGraphOptions& options) {
    right_.emplace(bench.exec(), bench.queries(), options, bench.workspace());
    pairs_ = intersect(bench.exec(), left, *right_);
  }
  std::string verify(const Bench& bench) const {
    return compare_tallies(bench.expected_answers().pairs,
                           tally(bench.exec(), pairs_.size(), TallyJoined<Pairs>{pairs_}));
  }
  void release() {
    right_.reset();
    pairs_ = {};
  }
  static std::uint64_t result_bytes(const Bench& bench) {
    return bench.expected_answers().pairs.count * 2 * sizeof(Row);
  }
  static ByteBudget budget(const TrafficSizes& sizes) { return join_pairs_budget(sizes); }

 private:
  using Row = std::uint32_t;
  using Pairs = RowPairs<Row, Row, typename Bench::memory_space>;
  std::optional<Graph> right_;
  Pairs pairs_;
};

/// Probe-New: builds a HashGraph of the queries with the hash range of the keys' table, which is
/// already there, and intersects the two. The build of the queries' table is part of the time.
template <class Bench, template <class> class Result>
class JoinOperation : public Operation {
 public:
  using Graph = typename Bench::Graph;

  JoinOperation(Bench& bench, const TableAxes& axes, const HashGraphOptions& options)
      : bench_(bench), left_(bench.template table<Graph>(axes)), options_(options) {
    options_.buckets = BucketCount(left_.num_buckets());
    const std::uint64_t build_bytes =
        Graph::predicted_peak_bytes(bench.exec(), bench.queries().size(), options_);
    Bench::require_memory(build_bytes + result_.result_bytes(bench), "pairs");
  }

  void prepare() override { result_.release(); }

  void run() override {
    result_.run(bench_, left_, options_);
    bench_.exec().fence("hashmill::perf::JoinOperation: the clock stops");
  }

  std::string verify() override { return result_.verify(bench_); }
  std::uint64_t num_items() const override { return bench_.queries().size(); }
  ByteBudget traffic() const override { return result_.budget(bench_.traffic_sizes()); }

 private:
  Bench& bench_;
  const Graph& left_;
  HashGraphOptions options_;
  Result<Bench> result_;
};

}  // namespace hashmill::perf
