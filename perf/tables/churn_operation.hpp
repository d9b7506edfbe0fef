#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/row.hpp>
#include <optional>
#include <string>

#include "answers/churn_keys.hpp"
#include "case/operation.hpp"
#include "churn_table.hpp"
#include "run/workbench.hpp"

namespace hashmill::perf {

/// What look-ups of all keys find after a churn.
struct ChurnTally {
  std::uint64_t num_found = 0;  ///< rows whose key is there
  std::uint64_t num_keys = 0;   ///< different keys that are there
  std::uint64_t faults = 0;     ///< rows whose key is there or away wrongly, or maps to a wrong row

  KOKKOS_FUNCTION ChurnTally& operator+=(const ChurnTally& other) {
    num_found += other.num_found;
    num_keys += other.num_keys;
    faults += other.faults;
    return *this;
  }
};

/// Tallies the rows found for all keys, while those in [away_first, away_last) must not be there.
template <class Keys, class Rows>
struct TallyChurned {
  Keys keys;
  Rows found;
  std::uint64_t away_first;
  std::uint64_t away_last;
  KOKKOS_FUNCTION void operator()(std::uint64_t row, ChurnTally& sum) const {
    const std::uint64_t other = found(row);
    const bool is_away = row >= away_first && row < away_last;
    const bool is_there = other != no_row<std::uint32_t>;
    if (is_there) ++sum.num_found;
    if (other == row) ++sum.num_keys;
    if (is_there == is_away) {
      ++sum.faults;
    } else if (is_there && (other >= keys.extent(0) || !(keys(other) == keys(row)))) {
      ++sum.faults;
    }
  }
};

/// Erases and inserts batches of keys in turn, in a table that is built anew for each run, untimed;
/// memory that is new or kept is the temporary memory of ours.
/// `Churn` is one of the classes of churn_table.hpp.
template <class Bench, class Churn>
class ChurnOperation : public Operation {
 public:
  ChurnOperation(Bench& bench, const TableAxes& axes)
      : bench_(bench), axes_(axes), keys_(grouped_keys(bench, axes)) {}

  bool runs_in(RunMemory memory) const override {
    return memory == RunMemory::kept || Churn::takes_workspace;
  }
  void prepare(RunMemory memory) override {
    table_.reset();
    table_.emplace(bench_.exec(), keys_, axes_);
    if (memory == RunMemory::fresh) bench_.workspace() = {};
    bench_.exec().fence("hashmill::perf::ChurnOperation: the clock starts");
  }

  void run() override {
    for (std::uint64_t round = 0; round < num_churn_rounds; ++round) {
      table_->erase(bench_.exec(), keys_, erased_in(round));
      table_->insert(bench_.exec(), keys_, inserted_in(round), bench_.workspace());
    }
    bench_.exec().fence("hashmill::perf::ChurnOperation: the clock stops");
  }

  std::string verify() override {
    const auto& exec = bench_.exec();
    const Keys& all = keys_.keys();
    const auto found = backends::allocate<Rows>(exec, "hashmill::perf::churned", all.size());
    table_->find(exec, all, found);
    const std::uint64_t away = erased_in(num_churn_rounds - 1);
    const std::uint64_t first = keys_.first_row(away), last = keys_.first_row(away + 1);
    const auto actual =
        tally<ChurnTally>(exec, all.size(), TallyChurned<Keys, Rows>{all, found, first, last});
    if (actual.faults != 0)
      return std::to_string(actual.faults) + " keys are there or away wrongly";
    const std::uint64_t size = table_->size(exec);
    const std::uint64_t expected =
        Churn::Table::keeps_duplicates ? all.size() - (last - first) : actual.num_keys;
    if (size == expected) return {};
    return "size() is " + std::to_string(size) + ", expected " + std::to_string(expected);
  }

  std::uint64_t num_items() const override {
    return num_changed(inserted_in) + num_changed(erased_in);
  }
  ByteBudget traffic() const override {
    return churn_budget(bench_.traffic_sizes(), num_changed(inserted_in), num_changed(erased_in));
  }

 private:
  using Keys = typename Bench::Keys;
  using Rows = Kokkos::View<std::uint32_t*, typename Bench::memory_space>;

  static std::uint64_t erased_in(std::uint64_t round) { return round % num_churn_batches; }
  static std::uint64_t inserted_in(std::uint64_t round) {
    return (round + num_churn_batches - 1) % num_churn_batches;
  }

  static ChurnKeys<Keys> grouped_keys(Bench& bench, const TableAxes& axes) {
    bench.template require_usable<typename Churn::Table>(axes);
    return {bench.exec(), bench.keys(), bench.data().axes().seed};
  }

  /// Keys that all rounds change, of the batches that `batch_in` gives for each.
  std::uint64_t num_changed(std::uint64_t (*batch_in)(std::uint64_t)) const {
    std::uint64_t sum = 0;
    for (std::uint64_t round = 0; round < num_churn_rounds; ++round) {
      sum += keys_.batch(batch_in(round)).size();
    }
    return sum;
  }

  Bench& bench_;
  TableAxes axes_;
  ChurnKeys<Keys> keys_;
  std::optional<Churn> table_;
};

}  // namespace hashmill::perf
