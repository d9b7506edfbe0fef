#pragma once

#include <hashmill/distributed_group_by/detail/frequent_rows.hpp>
#include <hashmill/distributed_group_by/detail/listed_batch.hpp>
#include <hashmill/distributed_group_by/detail/row_states.hpp>
#include <hashmill/group_by/detail/batches/aggregated_batches.hpp>
#include <tuple>

namespace hashmill::detail {

/// The rows of a rank's batches before they travel: groups, and rows of rare keys with a state
/// each. Both are rows of the same kind: keys, and a state beside them.
template <class Row, class Hash, class Keys, class... Aggregations>
class LocalGroups {
 public:
  using MemorySpace = typename Keys::memory_space;
  using Batches = AggregatedBatches<Row, Hash, Keys, Aggregations...>;
  using Rows = typename Batches::Table::Rows;
  using Ref = typename Rows::ref_type;
  /// The number of key columns. Column `num_keys` holds states.
  static constexpr unsigned num_keys = Batches::Table::num_keys;

  template <class Exec>
  LocalGroups(const Exec& exec, const Hash& hash, Seed seed, const Aggregations&... aggregations)
      : batches_(exec, hash, seed, aggregations...) {}

  [[nodiscard]] const Batches& batches() const { return batches_; }
  [[nodiscard]] std::uint64_t num_rare() const { return rare_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return batches_.table.bytes() + rare_.bytes(); }

  /// Adds a batch, with temporary memory from the caller's frame of `workspace`. On one rank,
  /// `alone`, it chooses to group all rows at once. Waits for `exec`.
  ///
  /// If it throws CapacityError or InvalidArgument, all is as before. If it throws anything else,
  /// nothing is left.
  template <class Exec, class BatchKeys, class... Batch>
  void add(const Exec& exec, Workspace<MemorySpace>& workspace,
           const DistributedGroupOptions& options, bool alone, const BatchKeys& keys,
           const Batch&... aggregations) {
    if constexpr ((has_row_state<Aggregations> && ...)) {
      const bool chooses = options.pre_aggregation == PreAggregation::automatic;
      const auto by = check_batch<Row, Exec>(keys, aggregations...);
      if (!(alone && chooses) && takes_frequent_keys(exec, by, options, workspace)) {
        return add_frequent(exec, workspace, options.seed, keys, by, aggregations...);
      }
    }
    batches_.add(exec, workspace, BatchStrategy::automatic, keys, aggregations...);
  }
  /// All rows in one container, as kernels read them: the groups' own, or that of the rare rows,
  /// after the groups have moved there. If it throws, all is as before. Waits for `exec`.
  template <class Exec>
  [[nodiscard]] Ref collect(const Exec& exec) {
    const Rows& groups = batches_.table.rows();
    if (rare_.size() == 0) return groups.ref();
    if (groups.size() != 0) {
      [&]<unsigned... Cs>(std::integer_sequence<unsigned, Cs...>) {
        rare_.append(exec, groups.template column<Cs>()...);
      }
      (std::make_integer_sequence<unsigned, num_keys + 1>());
      batches_.table.clear(exec);
    }
    return rare_.ref();
  }
  /// The key columns of collected rows.
  [[nodiscard]] static auto key_columns(const Ref& rows) {
    return [&]<unsigned... Cs>(std::integer_sequence<unsigned, Cs...>) {
      return std::tuple(StoredColumn<Ref, Cs>(rows)...);
    }
    (std::make_integer_sequence<unsigned, num_keys>());
  }
  /// The column of their states.
  [[nodiscard]] static auto states(const Ref& rows) { return StoredColumn<Ref, num_keys>(rows); }
  /// Removes all rows and keeps the memory.
  template <class Exec>
  void clear(const Exec& exec) {
    rare_.clear();
    batches_.table.clear(exec);
  }

 private:
  /// Adds the rows of frequent keys. Rows of rare keys are kept as they are, each with its state.
  template <class Exec, class BatchKeys, class By, class... Batch>
  void add_frequent(const Exec& exec, Workspace<MemorySpace>& workspace, Seed seed,
                    const BatchKeys& keys, const By& by, const Batch&... aggregations) {
    const auto rows = divide_rows<Row>(exec, by, seed, workspace);
    const std::uint64_t before = rare_.size();
    try {
      append_rare(exec, workspace, by, rows.rare, rebind_all(batches_.kept, aggregations...));
      batches_.add(
          exec, workspace, BatchStrategy::automatic,
          listed_keys(exec, keys, by, rows.frequent, workspace),
          listed_aggregation(aggregations, rows.frequent.data(), rows.frequent.extent(0))...);
    } catch (const CapacityError&) {
      rare_.truncate(before);
      throw;
    } catch (const InvalidArgument&) {
      rare_.truncate(before);
      throw;
    } catch (...) {  // no group is left
      rare_ = Rows();
      throw;
    }
  }
  template <class Exec, class By, class List, class Folds>
  void append_rare(const Exec& exec, Workspace<MemorySpace>& workspace, const By& by,
                   const List& rows, const Folds& folds) {
    using Kept = typename Batches::Kept;
    append_listed(exec, workspace, rare_, by.list(), rows.data(), rows.extent(0),
                  StatesOfRows<Kept, Folds, Row, MemorySpace>{batches_.kept, folds, rows.data(),
                                                              rows.extent(0)});
    exec.fence("hashmill::DistributedAggregation: the batch goes");
  }

  Batches batches_;
  Rows rare_;
};

}  // namespace hashmill::detail
