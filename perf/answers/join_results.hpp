#pragma once

#include <cstdint>
#include <hashmill/csr.hpp>
#include <hashmill/intersect.hpp>
#include <hashmill/join.hpp>
#include <optional>
#include <string>

#include "actual_results.hpp"
#include "case/operation.hpp"
#include "run/workbench.hpp"

namespace hashmill::perf {

// What is asked of the queries and of the keys' table, which already exists, and how. "Probe-New"
// makes a table of the queries, with the hash range of the other, and intersects the two.
// "Probe-Standard" looks every query up. `release` frees what runs in new memory must not find.

/// The number of all pairs, as `count_pairs` of `Result` tells it.
template <class Bench, class Result>
class PairsCounted {
 public:
  using Graph = typename Bench::Graph;

  void run(Bench& bench, const Graph& left, const HashGraphOptions& options) {
    num_pairs_ = static_cast<Result*>(this)->count_pairs(bench, left, options);
  }
  std::string verify(const Bench& bench) const {
    const std::uint64_t expected = bench.expected_answers().pairs.count;
    if (num_pairs_ == expected) return {};
    return std::to_string(num_pairs_) + " pairs, expected " + std::to_string(expected);
  }
  void release(RunMemory) {}
  static constexpr bool keeps_memory = true;
  static std::uint64_t result_bytes(const Bench&) { return 0; }
  static ByteBudget budget(const TrafficSizes& sizes) { return join_count_budget(sizes); }

 private:
  std::uint64_t num_pairs_ = 0;
};

/// Probe-New as the library does it for queries in no table: those that equal their neighbours
/// enter it once a run.
template <class Bench>
class JoinCount : public PairsCounted<Bench, JoinCount<Bench>> {
 public:
  static std::uint64_t count_pairs(Bench& bench, const typename Bench::Graph& left,
                                   const HashGraphOptions&) {
    return intersect_count(bench.exec(), bench.queries(), left, bench.workspace());
  }
};

/// A table of the queries, in place of the last one where that was kept.
template <class Bench, class Graph>
void build_queries(Bench& bench, const typename Bench::Graph& left, const HashGraphOptions& options,
                   std::optional<Graph>& right) {
  if (right) {
    right->rebuild(bench.exec(), bench.queries(), options, bench.workspace());
  } else {
    right.emplace(bench.exec(), bench.queries(), options, bench.workspace(), left.hash());
  }
}

/// Probe-New with every query in a table of keys alone.
template <class Bench>
class JoinCountOfAll : public PairsCounted<Bench, JoinCountOfAll<Bench>> {
 public:
  std::uint64_t count_pairs(Bench& bench, const typename Bench::Graph& left,
                            const HashGraphOptions& options) {
    build_queries(bench, left, options, right_);
    return intersect_count(bench.exec(), left, *right_);
  }
  void release(RunMemory memory) {
    if (memory == RunMemory::fresh) right_.reset();
  }

 private:
  std::optional<HashGraph<typename Bench::Key, typename Bench::memory_space, KeyOnly<>>> right_;
};

/// Probe-Standard, whose counts of all queries are added up.
template <class Bench>
class LookUpCount : public PairsCounted<Bench, LookUpCount<Bench>> {
 public:
  static constexpr bool keeps_memory = false;
  static std::uint64_t count_pairs(Bench& bench, const typename Bench::Graph& left,
                                   const HashGraphOptions&) {
    return join_size(bench.exec(), JoinKind::inner, bench.queries(), left);
  }
};

/// The pairs of rows, those of the keys on the left, as `find_pairs` of `Result` gives them.
template <class Bench, class Result>
class PairsFound {
 public:
  using Graph = typename Bench::Graph;
  using Row = std::uint32_t;
  using Pairs = RowPairs<Row, Row, typename Bench::memory_space>;

  void run(Bench& bench, const Graph& left, const HashGraphOptions& options) {
    pairs_ = static_cast<Result*>(this)->find_pairs(bench, left, options);
  }
  std::string verify(const Bench& bench) const {
    return compare_tallies(bench.expected_answers().pairs,
                           tally(bench.exec(), pairs_.size(), TallyJoined<Pairs>{pairs_}));
  }
  void release(RunMemory memory) {
    pairs_ = {};
    if (memory == RunMemory::fresh) static_cast<Result*>(this)->release_kept();
  }
  static constexpr bool keeps_memory = true;
  static std::uint64_t result_bytes(const Bench& bench) {
    return bench.expected_answers().pairs.count * 2 * sizeof(Row);
  }
  static ByteBudget budget(const TrafficSizes& sizes) { return join_pairs_budget(sizes); }

 private:
  Pairs pairs_;
};

/// Probe-New; the memory of the pairs is new in every run.
template <class Bench>
class JoinPairs : public PairsFound<Bench, JoinPairs<Bench>> {
 public:
  auto find_pairs(Bench& bench, const typename Bench::Graph& left,
                  const HashGraphOptions& options) {
    build_queries(bench, left, options, right_);
    return intersect(bench.exec(), left, *right_, JoinOptions{}, bench.workspace());
  }
  void release_kept() { right_.reset(); }

 private:
  std::optional<typename Bench::Graph> right_;
};

/// Probe-Standard.
template <class Bench>
class LookUpPairs : public PairsFound<Bench, LookUpPairs<Bench>> {
 public:
  using Pairs = typename PairsFound<Bench, LookUpPairs<Bench>>::Pairs;

  Pairs find_pairs(Bench& bench, const typename Bench::Graph& left, const HashGraphOptions&) {
    join(bench.exec(), JoinKind::inner, bench.queries(), left, EveryPair{}, JoinOptions{}, found_,
         bench.workspace());
    return {found_.right, found_.left};
  }
  void release_kept() { found_ = {}; }

 private:
  Pairs found_;
};

}  // namespace hashmill::perf
