#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/csr.hpp>
#include <string>

#include "answers/actual_results.hpp"
#include "case/operation.hpp"
#include "run/workbench.hpp"

namespace hashmill::perf {

// Lookups: what is asked of each query. Answers are in memory of the caller's: `release` frees it,
// and the next run allocates it.

/// Gives `answers` one element a query, where it has none.
template <class Bench, class Answers>
void resize_answers(const Bench& bench, const char* label, Answers& answers) {
  if (answers.size() == bench.queries().size()) return;
  answers = backends::allocate<Answers>(bench.exec(), label, bench.queries().size());
}

/// Lookup: whether each query has a match.
template <class Bench>
class ContainsLookup {
 public:
  explicit ContainsLookup(const Bench&) {}

  void release() { answers_ = {}; }

  template <class Table>
  void run(const Bench& bench, const Table& table) {
    resize_answers(bench, "hashmill::perf::contained", answers_);
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
  explicit FindLookup(const Bench&) {}

  void release() { rows_ = {}; }

  template <class Table>
  void run(const Bench& bench, const Table& table) {
    resize_answers(bench, "hashmill::perf::found", rows_);
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
  explicit CountLookup(const Bench&) {}

  void release() { counts_ = {}; }

  template <class Table>
  void run(const Bench& bench, const Table& table) {
    resize_answers(bench, "hashmill::perf::counted", counts_);
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

/// Lookup: all rows of each query; its temporary memory goes with the result.
template <class Bench>
class RetrieveLookup {
 public:
  explicit RetrieveLookup(const Bench& bench) {
    Bench::require_memory(
        bench.expected_answers().pairs.count * sizeof(std::uint32_t) + bench.queries().size() * 16,
        "rows");
  }

  void release() {
    csr_ = {};
    workspace_ = {};
  }

  template <class Table>
  void run(const Bench& bench, const Table& table) {
    table.retrieve(bench.exec(), bench.queries(), csr_, workspace_);
  }
  Tally actual(const Bench& bench) const {
    return tally(bench.exec(), csr_.num_queries(), TallyRetrieved<Csr>{csr_});
  }
  static Tally expected(const Bench& bench) { return bench.expected_answers().pairs; }
  static ByteBudget budget(const TrafficSizes& sizes) { return retrieve_budget(sizes); }

 private:
  using Csr = CsrRows<std::uint32_t, typename Bench::memory_space>;
  Csr csr_;
  Workspace<typename Bench::memory_space> workspace_;
};

/// How a table is asked for all rows of each query; tables whose answers have a form of their own
/// specialise it.
template <class Table>
struct RetrieveOf {
  template <class Bench>
  using Lookup = RetrieveLookup<Bench>;
};

/// Looks all queries up in a HashGraph or a peer's table that is already there.
template <class Bench, class Table, template <class> class Lookup>
class LookupOperation : public Operation {
 public:
  LookupOperation(Bench& bench, const TableAxes& axes)
      : bench_(bench), table_(bench.template table<Table>(axes)), lookup_(bench) {}

  void prepare(RunMemory memory) override {
    if (memory == RunMemory::fresh) lookup_.release();
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
