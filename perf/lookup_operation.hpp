#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/csr.hpp>
#include <string>

#include "actual_results.hpp"
#include "operation.hpp"
#include "workbench.hpp"

namespace hashmill::perf {

/// Lookup: whether each query has a match.
template <class Bench>
class ContainsLookup {
 public:
  explicit ContainsLookup(const Bench& bench)
      : answers_(backends::allocate<Answers>(bench.exec(), "hashmill::perf::contained",
                                             bench.queries().size())) {}

  template <class Table>
  void run(const Bench& bench, const Table& table) {
    table.contains(bench.exec(), bench.queries(), answers_);
  }
  Tally actual(const Bench& bench) const {
    return tally(bench.exec(), answers_.size(), TallyContained<Answers>{answers_});
  }
  static Tally expected(const Bench& bench) { return bench.expected_answers().hits; }
  static ByteBudget budget(const TrafficSizes& sizes) { return contains_budget(sizes); }

 private:
  using Answers = Kokkos::View<bool*, typename Bench::memory_space>;
  Answers answers_;
};

/// Lookup: one row of each query.
template <class Bench>
class FindLookup {
 public:
  explicit FindLookup(const Bench& bench)
      : rows_(backends::allocate<Rows>(bench.exec(), "hashmill::perf::found",
                                       bench.queries().size())) {}

  template <class Table>
  void run(const Bench& bench, const Table& table) {
    table.find(bench.exec(), bench.queries(), rows_);
  }
  Tally actual(const Bench& bench) const {
    using Keys = typename Bench::Keys;
    return tally(bench.exec(), rows_.size(),
                 TallyFound<Keys, Rows>{bench.keys(), bench.queries(), rows_});
  }
  static Tally expected(const Bench& bench) { return bench.expected_answers().hits; }
  static ByteBudget budget(const TrafficSizes& sizes) { return find_budget(sizes); }

 private:
  using Rows = Kokkos::View<std::uint32_t*, typename Bench::memory_space>;
  Rows rows_;
};

/// Lookup: the number of matches of each query.
template <class Bench>
class CountLookup {
 public:
  explicit CountLookup(const Bench& bench)
      : counts_(backends::allocate<Counts>(bench.exec(), "hashmill::perf::counted",
                                           bench.queries().size())) {}

  template <class Table>
  void run(const Bench& bench, const Table& table) {
    table.count(bench.exec(), bench.queries(), counts_);
  }
  Tally actual(const Bench& bench) const {
    return tally(bench.exec(), counts_.size(), TallyCounted<Counts>{counts_});
  }
  static Tally expected(const Bench& bench) { return bench.expected_answers().counts; }
  static ByteBudget budget(const TrafficSizes& sizes) { return count_budget(sizes); }

 private:
  using Counts = Kokkos::View<std::uint64_t*, typename Bench::memory_space>;
  Counts counts_;
};

/// Lookup: all rows of each query; the memory of the result is allocated within the time.
template <class Bench>
class RetrieveLookup {
 public:
  explicit RetrieveLookup(const Bench& bench) {
    Bench::require_memory(
        bench.expected_answers().pairs.count * sizeof(std::uint32_t) + bench.queries().size() * 16,
        "rows");
  }

  void release() { csr_ = {}; }

  template <class Table>
  void run(const Bench& bench, const Table& table) {
    csr_ = table.retrieve(bench.exec(), bench.queries());
  }
  Tally actual(const Bench& bench) const {
    return tally(bench.exec(), csr_.num_queries(), TallyRetrieved<Csr>{csr_});
  }
  static Tally expected(const Bench& bench) { return bench.expected_answers().pairs; }
  static ByteBudget budget(const TrafficSizes& sizes) { return retrieve_budget(sizes); }

 private:
  using Csr = CsrRows<std::uint32_t, typename Bench::memory_space>;
  Csr csr_;
};

/// Looks all queries up in a HashGraph or a peer's table that is already there.
template <class Bench, class Table, template <class> class Lookup>
class LookupOperation : public Operation {
 public:
  LookupOperation(Bench& bench, const TableAxes& axes)
      : bench_(bench), table_(bench.template table<Table>(axes)), lookup_(bench) {}

  void prepare() override {
    if constexpr (requires { lookup_.release(); }) lookup_.release();
  }

  void run() override {
    lookup_.run(bench_, table_);
    bench_.exec().fence("hashmill::perf::LookupOperation: the clock stops");
  }

  std::string verify() override {
    return compare_tallies(lookup_.expected(bench_), lookup_.actual(bench_));
  }
  std::uint64_t num_items() const override { return bench_.queries().size(); }
  ByteBudget traffic() const override { return lookup_.budget(bench_.traffic_sizes()); }

 private:
  Bench& bench_;
  const Table& table_;
  Lookup<Bench> lookup_;
};

}  // namespace hashmill::perf
