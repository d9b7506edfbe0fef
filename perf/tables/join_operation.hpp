#pragma once

#include <cstdint>
#include <string>

#include "answers/join_results.hpp"
#include "case/operation.hpp"
#include "run/workbench.hpp"

namespace hashmill::perf {

/// Joins the queries with a HashGraph of the keys, which is there. What else a `Result` needs, such
/// as a table of the queries, is part of the time.
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

  bool runs_in(RunMemory memory) const override {
    return memory == RunMemory::fresh || Result<Bench>::keeps_memory;
  }
  void prepare(RunMemory memory) override {
    result_.release(memory);
    if (memory == RunMemory::fresh) bench_.workspace() = {};
  }

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
