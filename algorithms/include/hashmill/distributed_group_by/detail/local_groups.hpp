#pragma once

#include <hashmill/distributed_group_by/options.hpp>
#include <hashmill/group_by/detail/batches/aggregated_batches.hpp>

namespace hashmill::detail {

/// The rows of a rank before they travel: groups, and rows of rare keys with a state each. Both are
/// rows of the same kind: keys, and a state beside them.
template <class Row, class Hash, class Keys, class... Aggregations>
class LocalGroups {
 public:
  using MemorySpace = typename Keys::memory_space;
  using Batches = AggregatedBatches<Row, Hash, Keys, Aggregations...>;
  using Rows = typename Batches::Table::Rows;
  /// The number of key columns. Column `num_keys` holds states.
  static constexpr unsigned num_keys = Batches::Table::num_keys;

  template <class Exec>
  LocalGroups(const Exec& exec, const Hash& hash, Seed seed, const Aggregations&... aggregations)
      : batches_(exec, hash, seed, aggregations...) {}

  [[nodiscard]] const Batches& batches() const { return batches_; }
  [[nodiscard]] std::uint64_t num_rare() const { return rare_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return batches_.table.bytes() + rare_.bytes(); }

  /// Adds a batch, with temporary memory from the caller's frame of `workspace`. Waits for `exec`.
  /// If it throws CapacityError or InvalidArgument, all is as before. If it throws anything else,
  /// nothing is left.
  template <class Exec, class BatchKeys, class... Batch>
  void add(const Exec& exec, Workspace<MemorySpace>& workspace, PreAggregation choice,
           const BatchKeys& keys, const Batch&... aggregations) {
    if constexpr (has_row_states<FoldList<Aggregations...>, typename Batches::Kept>) {
      if (takes_frequent_keys(exec, workspace, choice, keys)) {
        return add_frequent(exec, workspace, keys, aggregations...);
      }
    }
    batches_.add(exec, workspace, BatchStrategy::automatic, keys, aggregations...);
  }
  /// All rows in one container, as kernels read them: the groups' own, or that of the rare rows,
  /// after the groups have moved there. If it throws, all is as before. Waits for `exec`.
  template <class Exec>
  [[nodiscard]] typename Rows::ref_type collect(const Exec& exec) {
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
  /// Removes all rows and keeps the memory.
  template <class Exec>
  void clear(const Exec& exec) {
    rare_.clear();
    batches_.table.clear(exec);
  }

 private:
  /// Batches of at most this many rows are aggregated without a sample.
  static constexpr std::uint64_t few_rows = 4096;

  template <class Exec, class BatchKeys>
  bool takes_frequent_keys(const Exec& exec, Workspace<MemorySpace>& workspace,
                           PreAggregation choice, const BatchKeys& keys) const {
    if (choice != PreAggregation::automatic) return choice == PreAggregation::frequent_keys;
    const auto by = as_columns(keys).nulls_equal();
    if (by.size() <= few_rows) return false;
    return estimate_groups(exec, by, RowHash(batches_.seed), workspace) > by.size() / 2;
  }
  template <class Exec, class BatchKeys, class... Batch>
  void add_frequent(const Exec& exec, Workspace<MemorySpace>& workspace, const BatchKeys& keys,
                    const Batch&... aggregations) {
    try {
      batches_.add_frequent(exec, workspace, rare_, keys, aggregations...);
    } catch (const CapacityError&) {
      throw;
    } catch (const InvalidArgument&) {
      throw;
    } catch (...) {  // no group is left
      rare_ = Rows();
      throw;
    }
  }

  Batches batches_;
  Rows rare_;
};

}  // namespace hashmill::detail
