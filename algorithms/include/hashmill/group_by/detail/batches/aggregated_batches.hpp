#pragma once

#include <hashmill/group_by/detail/batches/batch_groups.hpp>
#include <hashmill/group_by/detail/batches/state_folds.hpp>
#include <hashmill/group_by/grouped_columns.hpp>
#include <hashmill/group_by/hash_aggregation_options.hpp>

namespace hashmill::detail {

/// Refuses, at compile time, what an aggregation of batches cannot keep.
template <class Keys, class... Aggregations>
constexpr void require_kept_groups() {
  static_assert(has_columns<Keys>(),
                "hashmill::hash_aggregation: keys are columns, or a view of numbers");
  require_aggregations<Aggregations...>();
  static_assert((fits_rows<Aggregations> && ...),
                "hashmill::hash_aggregation: the first of strings cannot be kept when their batch "
                "goes; number them, and take the first of the numbers");
}

/// The keys of a batch as columns. Throws InvalidArgument where they are compared otherwise than
/// those of groups.
template <class Row, class Exec, class Keys>
[[nodiscard]] auto check_keys(const Keys& keys) {
  static_assert(has_columns<Keys>() && is_accessible<Exec, Keys>(),
                "hashmill::HashAggregation: keys are columns that the execution space reaches");
  const auto by = as_columns(keys).nulls_equal();
  check_rows<Row>(0, by.size());
  if (by.has_unequal_nans()) {
    throw InvalidArgument("HashAggregation: keys with nans_unequal(), whose NaNs group with none");
  }
  return by;
}
/// The same, after checking the values of the batch.
template <class Row, class Exec, class Keys, class... Aggregations>
[[nodiscard]] auto check_batch(const Keys& keys, const Aggregations&... aggregations) {
  require_aggregations<Aggregations...>();
  const auto by = check_keys<Row, Exec>(keys);
  (check_rows_of(aggregations, by.size()), ...);
  return by;
}

/// The keys of a batch in the form in which they are grouped faster: integers as a view.
template <class Keys, class By>
[[nodiscard]] const auto& faster_keys(const Keys& keys, const By& by) {
  if constexpr (Kokkos::is_view_v<Keys>) {
    return keys;
  } else {
    return by;
  }
}

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

  template <class Exec>
  AggregatedBatches(const Exec& exec, const Hash& hash, Seed seed_of_batches,
                    const Aggregations&... aggregations)
      : AggregatedBatches(exec, hash, seed_of_batches,
                          list_folds(KeptFold<Aggregations>{aggregations}...)) {}
  template <class Exec>
  AggregatedBatches(const Exec& exec, const Hash& hash, Seed seed_of_batches, const Kept& folds)
      : kept(folds), seed(seed_of_batches), table(exec, hash) {}

  /// Adds a batch, with temporary memory from the caller's frame of `workspace`. Waits for `exec`.
  /// Returns the representatives of the new groups, in the order of these groups.
  ///
  /// If it throws CapacityError or InvalidArgument, the groups are as before. If it throws anything
  /// else, no group is left.
  template <class Exec, class BatchKeys, class... Batch>
  Rows add(const Exec& exec, Workspace<MemorySpace>& workspace, BatchStrategy strategy,
           const BatchKeys& keys, const Batch&... aggregations) {
    static_assert(sizeof...(Batch) == sizeof...(Aggregations),
                  "hashmill::HashAggregation: as many aggregations for each batch");
    const auto by = check_batch<Row, Exec>(keys, aggregations...);
    const auto folds = rebind_all(kept, aggregations...);
    if (by.size() == 0) return Rows();
    return or_undo(exec, [&] {
      return add_folds(exec, workspace, strategy, faster_keys(keys, by), by, folds);
    });
  }
  /// Adds partial states of groups, with whose keys they lie side by side: `place(i)` is row i's
  /// state, of type `Group`. Otherwise as `add`.
  template <class Exec, class KeysOfStates, class Place>
  void add_states(const Exec& exec, Workspace<MemorySpace>& workspace, BatchStrategy strategy,
                  const KeysOfStates& keys, const Place& place) {
    const auto by = check_keys<Row, Exec>(keys);
    const auto folds = folds_of_states(kept, place);
    if (by.size() == 0) return;
    or_undo(exec,
            [&] { return add_folds(exec, workspace, strategy, faster_keys(keys, by), by, folds); });
  }

  /// The keys of all groups, column by column. Waits for `exec` if one of them is a string column.
  template <class Exec>
  [[nodiscard]] auto keys(const Exec& exec) const {
    return [&]<unsigned... Cs>(std::integer_sequence<unsigned, Cs...>) {
      return std::tuple(extract_keys<Cs>(exec, table.rows())...);
    }
    (std::make_integer_sequence<unsigned, Table::num_keys>());
  }
  /// The states of all groups, in a new view; asynchronous.
  template <class Exec>
  [[nodiscard]] auto states(const Exec& exec) const {
    using States = Kokkos::View<Group*, MemorySpace>;
    const auto states =
        backends::allocate<States>(exec, "hashmill::hash_aggregation::states", table.size());
    table.rows().template extract_async<Table::num_keys>(exec, table.rows().all_rows(), states);
    return states;
  }
  /// The results of all aggregations; asynchronous.
  template <class Exec>
  [[nodiscard]] auto results(const Exec& exec) const {
    return collect_from<MemorySpace>(exec, kept, table.place(), table.size());
  }

 private:
  /// For at most this many rows a look-up of each is as good as a sample.
  static constexpr std::uint64_t few_rows = 4096;

  /// Makes a change that throws CapacityError or InvalidArgument before values have changed, if it
  /// does.
  template <class Exec, class Change>
  auto or_undo(const Exec& exec, const Change& change) {
    const std::uint64_t groups_before = table.size();
    try {
      return change();
    } catch (const CapacityError&) {
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

  template <class Exec, class BatchKeys, class By, class Folds>
  Rows add_folds(const Exec& exec, Workspace<MemorySpace>& workspace, BatchStrategy strategy,
                 const BatchKeys& keys_of_batch, const By& by, const Folds& folds) {
    const BatchTarget<Exec, Table, Kept> target{exec, table, kept, workspace};
    const auto hash = batch_hash<BatchKeys>();
    if constexpr (!Folds::two_passes && std::is_same_v<typename Folds::Group, Group>) {
      if (takes_rows(exec, workspace, strategy, by)) {
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
  bool takes_rows(const Exec& exec, Workspace<MemorySpace>& workspace, BatchStrategy strategy,
                  const By& by) {
    if (strategy != BatchStrategy::automatic) return strategy == BatchStrategy::by_rows;
    if (table.size() == 0) return false;
    if (by.size() <= few_rows) return true;
    return estimate_groups(exec, by, RowHash(seed), workspace) > by.size() / 4;
  }
};

}  // namespace hashmill::detail
