#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/group_by.hpp>
#include <optional>
#include <string>

#include "group_values.hpp"
#include "operation.hpp"
#include "tally.hpp"
#include "workbench.hpp"

namespace hashmill::perf {

/// What rows or a whole group of one key add to the checksum of a group-by: as much in either case.
template <class Key>
KOKKOS_FUNCTION Tally group_tally(const Key& key, std::uint64_t sum, std::uint64_t count) {
  return {count, key_weight(key) * (sum + count), 0};
}

/// Tallies rows as groups of one.
template <class Keys>
struct TallyValues {
  Keys keys;
  KOKKOS_FUNCTION void operator()(std::uint64_t row, Tally& sum) const {
    sum += group_tally(keys(row), value_of(row), 1);
  }
};

/// Tallies groups.
template <class Keys, class Rows, class Sums>
struct TallyGroups {
  Keys keys;
  Rows representatives;
  Sums sums;
  Sums counts;
  KOKKOS_FUNCTION void operator()(std::uint64_t g, Tally& sum) const {
    sum += group_tally(keys(representatives(g)), sums(g), counts(g));
  }
};

/// Sum and count by the library: with `group_by`, or by a hash table of all rows and `aggregate`.
template <class Exec, class Key, bool ByTable>
class LibraryGroups {
 public:
  template <class Keys, class Values>
  LibraryGroups(const Exec& exec, const Keys& keys, const Values& values) {
    if constexpr (ByTable) {
      const auto groups = group_rows(exec, keys, {GroupStrategy::hash});
      representatives_ = groups.representatives;
      take(aggregate(exec, groups, agg::sum(values), agg::count()));
    } else {
      auto grouped = group_by(exec, keys, agg::sum(values), agg::count());
      representatives_ = grouped.representatives;
      take(std::move(grouped.results));
    }
  }

  std::uint64_t size() const { return representatives_.extent(0); }

  template <class Keys>
  Tally tally_groups(const Exec& exec, const Keys& keys) const {
    return tally(exec, size(),
                 TallyGroups<Keys, Rows, Sums>{keys, representatives_, sums_, counts_});
  }

 private:
  using Memory = typename Exec::memory_space;
  using Rows = Kokkos::View<std::uint32_t*, Memory>;
  using Sums = Kokkos::View<std::uint64_t*, Memory>;

  template <class Results>
  void take(const Results& results) {
    sums_ = std::get<0>(results).values;
    counts_ = std::get<1>(results).values;
  }

  Rows representatives_;
  Sums sums_;
  Sums counts_;
};

/// Peer: a map of the standard library or of Abseil from key to sum and count, one thread.
template <class Map>
class MapGroups {
 public:
  template <class Exec, class Keys, class Values>
  MapGroups(const Exec&, const Keys& keys, const Values& values) {
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
      auto& group = groups_[keys(i)];
      group.first += values(i);
      ++group.second;
    }
  }

  std::uint64_t size() const { return groups_.size(); }

  template <class Exec, class Keys>
  Tally tally_groups(const Exec&, const Keys&) const {
    Tally all;
    for (const auto& [key, group] : groups_) all += group_tally(key, group.first, group.second);
    return all;
  }

 private:
  Map groups_;
};

/// Sum and count of a value by key, with the memory of everything.
template <class Bench, class Groups>
class GroupOperation : public Operation {
 public:
  explicit GroupOperation(Bench& bench) : bench_(bench) {
    const std::uint64_t n = bench.keys().size();
    constexpr std::uint64_t bytes_a_row = 64;
    Bench::require_memory(n * bytes_a_row, "groups");
    values_ = make_values(bench.exec(), n);
  }

  void prepare() override { groups_.reset(); }
  void run() override {
    groups_.emplace(bench_.exec(), bench_.keys(), values_);
    bench_.exec().fence("hashmill::perf::GroupOperation: the clock stops");
  }
  std::string verify() override {
    const std::uint64_t expected = num_groups();
    if (groups_->size() != expected) {
      return std::to_string(groups_->size()) + " groups, expected " + std::to_string(expected);
    }
    return compare_tallies(
        tally(bench_.exec(), bench_.keys().size(), TallyValues<Keys>{bench_.keys()}),
        groups_->tally_groups(bench_.exec(), bench_.keys()));
  }
  std::uint64_t num_items() const override { return bench_.keys().size(); }
  ByteBudget traffic() const override { return group_budget(bench_.traffic_sizes(), num_groups()); }

 private:
  using Keys = typename Bench::Keys;
  using Values = Kokkos::View<std::uint32_t*, typename Bench::memory_space>;

  std::uint64_t num_groups() const { return bench_.expected_content().distinct.count; }

  Bench& bench_;
  Values values_;
  std::optional<Groups> groups_;
};

}  // namespace hashmill::perf
