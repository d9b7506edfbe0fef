#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <hashmill/error.hpp>
#include <hashmill/hash_graph.hpp>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <unordered_map>

#include "answers/data_set.hpp"
#include "answers/expected_results.hpp"
#include "case/byte_budget.hpp"
#include "case/compare_case.hpp"
#include "machine/free_memory.hpp"
#include "machine/host_threads.hpp"

namespace hashmill::perf {

/// Options of a HashGraph build for a case.
inline HashGraphOptions graph_options(const TableAxes& axes, BuildAlgorithm algorithm) {
  HashGraphOptions options;
  options.rows_per_bucket = RowsPerBucket(axes.load_factor);
  options.algorithm = algorithm;
  if (axes.bins != 0) options.bins = BinCount(axes.bins);
  return options;
}

/// A peer that has to look at keys before it takes them. (A concept: nvcc 13.0 finds the same
/// expression over members of a class invalid in device passes only, and then leaves kernels out.)
template <class Table, class Exec, class Keys>
concept ChecksKeys = requires(const Exec& exec, const Keys& keys) {
  Table::check_keys(exec, keys);
};

/// What the operations on one execution space and key type share: the data, the right answers, and
/// the tables that are looked up in. All of it is kept from one case to the next as far as it stays
/// valid.
template <class ExecutionSpace, class KeyType>
class Workbench {
 public:
  using Exec = ExecutionSpace;
  using Key = KeyType;
  using memory_space = typename Exec::memory_space;
  using Data = DataSet<Exec, Key>;
  using Keys = typename Data::Keys;
  using Graph = HashGraph<Key, memory_space>;

  /// Makes the data that `wanted` needs: the keys, and the queries if its algorithm asks any. Takes
  /// as many threads as it says, and no temporary memory of others.
  void use(const CompareCase& wanted) {
    const DataAxes& axes = wanted.data;
    exec_ = instance_with_threads<Exec>(wanted.threads);
    workspace_ = {};
    try {
      if (!data_ || !data_->has_keys_of(axes)) {
        clear();
        require_memory(2 * axes.num_keys * sizeof(Key), "keys");
        data_.emplace(exec_, axes);
        expected_rows_ = expected_rows(exec_, *data_);
      }
      if (wanted.algorithm->axes.queries && !data_->has_queries_of(axes)) {
        require_memory(axes.num_queries * sizeof(Key), "queries");
        data_->set_queries(exec_, axes);
        expected_matches_ = expected_matches(exec_, *data_);
      }
    } catch (...) {
      clear();
      throw;
    }
  }

  /// Frees everything.
  void clear() {
    graph_.reset();
    others_.clear();
    workspace_ = {};
    data_.reset();
  }

  const Exec& exec() const { return exec_; }

  /// Temporary memory of builds, kept from one to the next.
  Workspace<memory_space>& workspace() { return workspace_; }

  Data& data() { return *data_; }
  const Keys& keys() const { return data_->keys(); }
  const Keys& queries() const { return data_->queries(); }
  const ExpectedRows& expected_content() const { return expected_rows_; }
  const ExpectedMatches& expected_answers() const { return expected_matches_; }

  /// The right pairs of a join of the queries, its left side, with the keys.
  Tally expected_pairs(JoinKind kind) {
    Tally pairs = expected_matches_.pairs;
    if (kind == JoinKind::inner) return pairs;
    const ExpectedUnmatched unmatched = expected_unmatched(exec_, *data_);
    if (kind != JoinKind::right) pairs += unmatched.queries;
    if (kind != JoinKind::left) pairs += unmatched.rows;
    return pairs;
  }

  /// The table of type `Table` over the keys, built the first time it is asked for.
  template <class Table>
  const Table& table(const TableAxes& axes) {
    if constexpr (std::is_same_v<Table, Graph>) {
      if (!graph_ || graph_load_factor_ != axes.load_factor) {
        graph_.reset();
        graph_.emplace(exec_, keys(), graph_options(axes, BuildAlgorithm::v2), workspace_);
        graph_load_factor_ = axes.load_factor;
      }
      return *graph_;
    } else {
      HeldTable& held = others_[std::type_index(typeid(Table))];
      if (!held.table || (depends_on_axes<Table> && held.axes != axes)) {
        held = {};
        require_usable<Table>(axes);
        held = {construct<Table>(
                    axes, [](auto&... arguments) { return std::make_shared<Table>(arguments...); }),
                axes};
      }
      return *static_cast<const Table*>(held.table.get());
    }
  }

  /// Calls `make` with what a `Table` is built from: the keys and, where it takes them, the axes
  /// and temporary memory that is kept from one build to the next.
  template <class Table, class Make>
  auto construct(const TableAxes& axes, const Make& make) {
    if constexpr (std::is_constructible_v<Table, Exec, Keys, TableAxes, Workspace<memory_space>&>) {
      return make(exec_, keys(), axes, workspace_);
    } else if constexpr (depends_on_axes<Table>) {
      return make(exec_, keys(), axes);
    } else {
      return make(exec_, keys());
    }
  }

  /// Sizes for the byte budgets.
  TrafficSizes traffic_sizes() const {
    return {keys().size(),
            queries().size(),
            expected_matches_.hits.count,
            expected_matches_.counts.count,
            static_cast<double>(sizeof(Key)),
            static_cast<double>(sizeof(std::uint32_t))};
  }

  /// Throws `CapacityError` unless there is memory for a table of type `Table` of the keys, and
  /// `UnsupportedCase` where it cannot hold them.
  template <class Table>
  void require_usable(const TableAxes& axes) const {
    double bytes = static_cast<double>(keys().size() * Table::bytes_a_key);
    if constexpr (requires { requires Table::sized_by_fill; }) {
      bytes *= std::max(1.0, 0.5 / axes.fill);
    }
    require_memory(static_cast<std::uint64_t>(bytes), "table");
    if constexpr (ChecksKeys<Table, Exec, Keys>) Table::check_keys(exec_, keys());
  }

  /// Throws `CapacityError` unless `bytes` are free.
  static void require_memory(std::uint64_t bytes, const std::string& what) {
    require_free_memory<memory_space>(bytes, what);
  }

 private:
  template <class Table>
  static constexpr bool depends_on_axes = std::is_constructible_v<Table, Exec, Keys, TableAxes>;

  /// A table that is not a HashGraph, and what it was built with.
  struct HeldTable {
    std::shared_ptr<void> table;
    TableAxes axes;
  };

  Exec exec_;
  Workspace<memory_space> workspace_;
  std::optional<Data> data_;
  ExpectedRows expected_rows_;
  ExpectedMatches expected_matches_;
  std::optional<Graph> graph_;
  double graph_load_factor_ = 0;
  std::unordered_map<std::type_index, HeldTable> others_;
};

}  // namespace hashmill::perf
