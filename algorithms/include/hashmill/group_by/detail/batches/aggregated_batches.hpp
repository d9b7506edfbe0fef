#pragma once

#include <hashmill/group_by/detail/batches/batch_groups.hpp>
#include <hashmill/group_by/grouped_columns.hpp>
#include <hashmill/group_by/hash_aggregation_options.hpp>

namespace hashmill::detail {

/// The state of a HashAggregation, and how batches are added to it.
template <class Row, class Hash, class Keys, class... Aggregations>
struct AggregatedBatches {
  using MemorySpace = typename Keys::memory_space;
  using Kept = FoldList<KeptFold<Aggregations>...>;
  using Group = typename Kept::Group;
  using Table = typename GroupTableOf<Row, Hash, Group, Keys>::type;
  using Rows = typename Workspace<MemorySpace>::template Array<Row>;

  Kept kept;
  Seed seed;  // of the hash function that groups a batch
  Table table;
  Workspace<MemorySpace> workspace;

  template <class Exec>
  AggregatedBatches(const Exec& exec, const Hash& hash, Seed seed_of_batches,
                    const Aggregations&... aggregations)
      : kept(list_folds(KeptFold<Aggregations>{aggregations}...)),
        seed(seed_of_batches),
        table(exec, hash) {}

  /// Adds a batch, with temporary memory from the caller's frame of `workspace`. Waits for `exec`.
  /// Returns the representatives of the new groups, in the order of these groups.
  ///
  /// If it throws CapacityError or InvalidArgument, the groups are as before. If it throws anything
  /// else, no group is left.
  template <class Exec, class BatchKeys, class... Batch>
  Rows add(const Exec& exec, BatchStrategy strategy, const BatchKeys& keys,
           const Batch&... aggregations) {
    require_aggregations<Batch...>();
    static_assert(sizeof...(Batch) == sizeof...(Aggregations),
                  "hashmill::HashAggregation: as many aggregations for each batch");
    static_assert(has_columns<BatchKeys>() && is_accessible<Exec, BatchKeys>(),
                  "hashmill::HashAggregation: keys are columns that the execution space reaches");
    const auto by = as_columns(keys).nulls_equal();
    check_rows<Row>(0, by.size());
    (check_rows_of(aggregations, by.size()), ...);
    if (by.has_unequal_nans()) {
      throw InvalidArgument(
          "HashAggregation: keys with nans_unequal(), whose NaNs group with none");
    }
    const auto folds = rebind_all(kept, aggregations...);
    if (by.size() == 0) return Rows();
    const std::uint64_t groups_before = table.size();
    try {
      if constexpr (Kokkos::is_view_v<BatchKeys>) {
        return add_folds(exec, strategy, keys, by, folds);  // integers group faster as a view
      } else {
        return add_folds(exec, strategy, by, by, folds);
      }
    } catch (const CapacityError&) {  // thrown before any group has changed
      table.undo(exec, groups_before);
      throw;
    } catch (const InvalidArgument&) {
      table.undo(exec, groups_before);
      throw;
    } catch (...) {  // it is unknown how far the kernels got
      table.reset();
      throw;
    }
  }

  /// The keys of all groups, column by column. Waits for `exec` if one of them is a string column.
  template <class Exec>
  [[nodiscard]] auto keys(const Exec& exec) const {
    return [&]<unsigned... Cs>(std::integer_sequence<unsigned, Cs...>) {
      return std::tuple(extract_keys<Cs>(exec, table.rows())...);
    }
    (std::make_integer_sequence<unsigned, Table::num_keys>());
  }
  /// The results of all aggregations; asynchronous.
  template <class Exec>
  [[nodiscard]] auto results(const Exec& exec) const {
    return collect_from<MemorySpace>(exec, kept, table.place(), table.size());
  }

 private:
  /// For at most this many rows a look-up of each is as good as a sample.
  static constexpr std::uint64_t few_rows = 4096;

  template <class Exec, class BatchKeys, class By, class Folds>
  Rows add_folds(const Exec& exec, BatchStrategy strategy, const BatchKeys& keys_of_batch,
                 const By& by, const Folds& folds) {
    const BatchTarget<Exec, Table, Kept> target{exec, table, kept, workspace};
    const auto hash = batch_hash<BatchKeys>();
    if constexpr (!Folds::two_passes && std::is_same_v<typename Folds::Group, Group>) {
      if (takes_rows(exec, strategy, by)) {
        return add_rows<Row>(target, keys_of_batch, by, folds, hash);
      }
    }
    return add_groups<Row>(target, keys_of_batch, by, folds, hash);
  }
  /// The hash function that groups a batch. It is the table's own function if `Hash` is RowHash.
  /// Groups then come in the order of the table's buckets, and look-ups find these in caches.
  template <class BatchKeys>
  [[nodiscard]] GroupHashOf<BatchKeys> batch_hash() const {
    using Wanted = GroupHashOf<BatchKeys>;
    if constexpr (!std::is_same_v<Hash, RowHash>) {
      return own_hash(Wanted(seed), HashLevel::groups);
    } else if constexpr (std::is_same_v<Wanted, RowHash>) {
      return table.hash();
    } else {
      return table.hash().of_number();
    }
  }
  template <class Exec, class By>
  bool takes_rows(const Exec& exec, BatchStrategy strategy, const By& by) {
    if (strategy != BatchStrategy::automatic) return strategy == BatchStrategy::by_rows;
    if (table.size() == 0) return false;
    if (by.size() <= few_rows) return true;
    return estimate_groups(exec, by, RowHash(seed), workspace) > by.size() / 4;
  }
};

}  // namespace hashmill::detail
