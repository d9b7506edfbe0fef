#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "answers/actual_results.hpp"
#include "case/operation.hpp"
#include "run/workbench.hpp"

namespace hashmill::perf {

/// Checks a table of ours by asking it for every distinct key: for all entries, or, of unique keys,
/// for one right row each.
template <class Bench, class Table>
std::string verify_table(Bench& bench, const Table& table, bool keeps_duplicates) {
  const auto& exec = bench.exec();
  if (keeps_duplicates && table.size() != bench.keys().size()) {
    return "size() is " + std::to_string(table.size());
  }
  const auto table_ref = table.ref();
  using Key = typename Bench::Key;
  using Keys = typename Bench::Keys;
  using TableRef = std::remove_const_t<decltype(table_ref)>;
  const Tally actual =
      bench.data().with_reference(exec, [&]<class Reference>(const Reference& reference) {
        const std::uint64_t places = reference.num_places();
        if (keeps_duplicates) {
          return tally(exec, places, TallyEntries<Key, Reference, TableRef>{reference, table_ref});
        }
        return tally(
            exec, places,
            TallyUniqueEntries<Key, Keys, Reference, TableRef>{bench.keys(), reference, table_ref});
      });
  const auto& content = bench.expected_content();
  return compare_tallies(keeps_duplicates ? content.entries : content.distinct, actual);
}

/// Builds a HashGraph from the keys; in kept memory, in place of the last one.
template <class Bench>
class GraphBuildOperation : public Operation {
 public:
  using Graph = typename Bench::Graph;

  GraphBuildOperation(Bench& bench, const HashGraphOptions& options)
      : bench_(bench), options_(options) {
    Bench::require_memory(Graph::predicted_peak_bytes(bench.exec(), bench.keys().size(), options_),
                          "table");
  }

  void prepare(RunMemory memory) override {
    if (memory == RunMemory::kept) return;
    table_.reset();
    bench_.workspace() = {};
  }
  void run() override {
    if (table_) {
      table_->rebuild(bench_.exec(), bench_.keys(), options_, bench_.workspace());
    } else {
      table_.emplace(bench_.exec(), bench_.keys(), options_, bench_.workspace());
    }
    bench_.exec().fence("hashmill::perf::GraphBuildOperation: the clock stops");
  }
  std::string verify() override { return verify_table(bench_, *table_, true); }
  std::uint64_t num_items() const override { return bench_.keys().size(); }
  ByteBudget traffic() const override { return build_budget(bench_.traffic_sizes()); }

 private:
  Bench& bench_;
  HashGraphOptions options_;
  std::optional<Graph> table_;
};

/// Builds another table of ours, or a peer's, from the keys. In kept memory that is to empty the
/// last one and to fill it again.
template <class Bench, class Table>
class BuildOperation : public Operation {
 public:
  BuildOperation(Bench& bench, const TableAxes& axes) : bench_(bench), axes_(axes) {
    bench.template require_usable<Table>(axes);
  }

  void prepare(RunMemory memory) override {
    if (memory == RunMemory::kept) return;
    table_.reset();
    bench_.workspace() = {};
  }
  void run() override {
    if (table_) {
      table_->clear(bench_.exec());
      insert_all();
    } else {
      bench_.template construct<Table>(
          axes_, [&](auto&... arguments) { return &table_.emplace(arguments...); });
    }
    bench_.exec().fence("hashmill::perf::BuildOperation: the clock stops");
  }
  std::string verify() override {
    if constexpr (is_ours) {
      return verify_table(bench_, *table_, Table::keeps_duplicates);
    } else {
      const auto& content = bench_.expected_content();
      return compare_tallies(Table::keeps_duplicates ? content.entries : content.distinct,
                             table_->tally_entries(bench_.exec(), bench_.keys()));
    }
  }
  std::uint64_t num_items() const override { return bench_.keys().size(); }
  ByteBudget traffic() const override { return build_budget(bench_.traffic_sizes()); }

  /// Inserts all keys into the table, which is empty.
  void insert_all() {
    if constexpr (is_ours) {
      table_->insert_all(bench_.exec(), bench_.keys(), bench_.workspace());
    } else {
      table_->insert(bench_.exec(), bench_.keys(), 0);
    }
  }

  /// What was built, if anything.
  std::optional<Table>& table() { return table_; }

 private:
  static constexpr bool is_ours = requires(const Table& table) { table.ref(); };

  Bench& bench_;
  TableAxes axes_;
  std::optional<Table> table_;
};

}  // namespace hashmill::perf
