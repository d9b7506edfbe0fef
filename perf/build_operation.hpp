#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "actual_results.hpp"
#include "operation.hpp"
#include "workbench.hpp"

namespace hashmill::perf {

/// Builds a HashGraph or a peer's table from the keys.
template <class Bench, class Table>
class BuildOperation : public Operation {
 public:
  static constexpr bool is_ours = std::is_same_v<Table, typename Bench::Graph>;

  BuildOperation(Bench& bench, const HashGraphOptions& options) : bench_(bench), options_(options) {
    if constexpr (is_ours) {
      Bench::require_memory(
          Table::predicted_peak_bytes(bench.exec(), bench.keys().size(), options_), "table");
    } else {
      Bench::require_memory(bench.keys().size() * Table::bytes_a_key, "table");
    }
  }

  void prepare() override { table_.reset(); }

  void run() override {
    if constexpr (is_ours) {
      table_.emplace(bench_.exec(), bench_.keys(), options_, bench_.workspace());
    } else {
      table_.emplace(bench_.exec(), bench_.keys());
    }
    bench_.exec().fence("hashmill::perf::BuildOperation: the clock stops");
  }

  std::string verify() override {
    if constexpr (is_ours) {
      return verify_graph();
    } else {
      const Tally& expected = Table::keeps_duplicates ? bench_.expected_content().entries
                                                      : bench_.expected_content().distinct;
      return compare_tallies(expected, table_->tally_entries(bench_.exec(), bench_.keys()));
    }
  }

  std::uint64_t num_items() const override { return bench_.keys().size(); }
  ByteBudget traffic() const override { return build_budget(bench_.traffic_sizes()); }

 private:
  std::string verify_graph() {
    const Exec& exec = bench_.exec();
    if (table_->size() != bench_.keys().size())
      return "size() is " + std::to_string(table_->size());
    const auto table_ref = table_->ref();
    using TableRef = std::remove_const_t<decltype(table_ref)>;
    const Tally actual =
        bench_.data().with_reference(exec, [&]<class Reference>(const Reference& reference) {
          return tally(
              exec, reference.num_places(),
              TallyEntries<typename Bench::Key, Reference, TableRef>{reference, table_ref});
        });
    return compare_tallies(bench_.expected_content().entries, actual);
  }

  using Exec = typename Bench::Exec;

  Bench& bench_;
  HashGraphOptions options_;
  std::optional<Table> table_;
};

}  // namespace hashmill::perf
