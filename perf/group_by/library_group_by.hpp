#pragma once

#include <cstdint>
#include <hashmill/group_by.hpp>
#include <optional>
#include <tuple>

#include "case/operation.hpp"
#include "group_bench.hpp"
#include "group_by_algorithms.hpp"
#include "keys/key_columns.hpp"

namespace hashmill::perf {

/// Calls `f` with the aggregations of a set.
template <Aggregates Asked, class Values, class F>
auto with_aggregations(const Values& values, F&& f) {
  if constexpr (Asked == Aggregates::count) {
    return f(agg::count());
  } else if constexpr (Asked == Aggregates::sum) {
    return f(agg::count(), agg::sum(values));
  } else {
    return f(agg::count(), agg::sum(values), agg::min(values), agg::max(values), agg::mean(values));
  }
}

/// Tallies the groups that the library gave.
template <Aggregates Asked, class Keys, class Results>
struct TallyLibraryGroups {
  Keys keys;
  Results results;
  KOKKOS_FUNCTION void operator()(std::uint64_t g, Tally& sum) const {
    GroupResult group;
    group.count = results.count(g);
    if constexpr (Asked != Aggregates::count) group.sum = results.sum(g);
    if constexpr (Asked == Aggregates::all) {
      group.least = results.least(g);
      group.greatest = results.greatest(g);
      group.mean = results.mean(g);
    }
    add_group(keys(g), group, Asked, sum);
  }
};

/// The columns of a result; those that were not asked for are empty.
template <class MemorySpace>
struct LibraryResults {
  Kokkos::View<std::uint64_t*, MemorySpace> count;
  Kokkos::View<std::uint64_t*, MemorySpace> sum;
  Kokkos::View<std::uint32_t*, MemorySpace> least;
  Kokkos::View<std::uint32_t*, MemorySpace> greatest;
  Kokkos::View<double*, MemorySpace> mean;
};

/// A group-by of the library that gives its keys and results as columns, which are new in every
/// run; temporary memory may be kept where it can be given.
template <class Bench, Aggregates Asked, GroupWay Way, KeyColumns Kind = KeyColumns::one>
class LibraryGroupBy : public Operation {
 public:
  explicit LibraryGroupBy(Bench& bench)
      : bench_(bench), rows_(Keys::split(bench.exec(), bench.keys())) {}

  bool runs_in(RunMemory memory) const override {
    return memory == RunMemory::fresh || Way == GroupWay::automatic;
  }
  void prepare(RunMemory memory) override {
    keys_ = {};
    results_ = {};
    if (memory == RunMemory::fresh) bench_.workspace() = {};
  }
  void run() override {
    const auto keys = rows_.source();
    with_aggregations<Asked>(bench_.values(), [&](const auto&... aggregations) {
      if constexpr (Way == GroupWay::numbered) {
        const auto groups = group_rows(bench_.exec(), keys);
        take(groups.representatives, aggregate(bench_.exec(), groups, aggregations...));
      } else if constexpr (Way == GroupWay::in_rows) {
        const GroupOptions options{GroupStrategy::tag_bucket};
        const auto grouped = group_by(bench_.exec(), keys, options, aggregations...);
        take(grouped.representatives, grouped.results);
      } else {
        const auto grouped = group_by(bench_.exec(), keys, bench_.workspace(), aggregations...);
        take(grouped.representatives, grouped.results);
      }
    });
    bench_.exec().fence("hashmill::perf::LibraryGroupBy: the clock stops");
  }
  std::string verify() override {
    using Functor = TallyLibraryGroups<Asked, Keys, Results>;
    return compare_groups(bench_.expected(),
                          tally(bench_.exec(), keys_.size(), Functor{keys_, results_}));
  }
  std::uint64_t num_items() const override { return bench_.keys().size(); }
  ByteBudget traffic() const override {
    return aggregates_budget(Asked, num_items(), rows_.bytes_a_key(), bench_.expected().count);
  }

 private:
  using Keys = KeyColumnsOf<Kind, typename Bench::Key, typename Bench::memory_space>;
  using Results = LibraryResults<typename Bench::memory_space>;

  template <class Rows, class Columns>
  void take(const Rows& representatives, const Columns& columns) {
    keys_ = rows_.gathered(bench_.exec(), representatives);
    results_.count = std::get<0>(columns).values;
    if constexpr (Asked != Aggregates::count) results_.sum = std::get<1>(columns).values;
    if constexpr (Asked == Aggregates::all) {
      results_.least = std::get<2>(columns).values;
      results_.greatest = std::get<3>(columns).values;
      results_.mean = std::get<4>(columns).values;
    }
  }

  Bench& bench_;
  Keys rows_;  ///< of all rows
  Keys keys_;  ///< of the groups
  Results results_;
};

}  // namespace hashmill::perf
