#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/group_by/detail/accumulate_groups.hpp>
#include <hashmill/group_by/detail/batches/fold_into_rows.hpp>
#include <hashmill/group_by/detail/batches/group_table.hpp>

namespace hashmill::detail {

template <class Keys>
struct IsColumns : std::false_type {};
template <class... Cols>
struct IsColumns<Columns<Cols...>> : std::true_type {};

/// Whether rows of a container can hold these keys: `columns(...)`, a column, or a view of numbers.
template <class Keys>
[[nodiscard]] consteval bool has_columns() {
  if constexpr (Kokkos::is_view_v<Keys>) {
    using Value = typename Keys::non_const_value_type;
    return has_one_dimension<Keys> && ScalarKey<Value>;
  } else {
    return IsColumns<Keys>::value || ColumnOfValues<Keys>;
  }
}

/// These keys as `columns(...)`.
template <class Keys>
[[nodiscard]] auto as_columns(const Keys& keys) {
  if constexpr (IsColumns<Keys>::value) {
    return keys;
  } else {
    return columns(keys);
  }
}

/// The type of the table of groups whose keys are these columns.
template <class Row, class Hash, class Group, class Keys>
struct GroupTableOf;
template <class Row, class Hash, class Group, class... Cols>
struct GroupTableOf<Row, Hash, Group, Columns<Cols...>> {
  using type = GroupTable<Row, Hash, Group, typename Columns<Cols...>::memory_space,
                          typename Cols::value_type...>;
};

/// Whether an item has no group yet.
template <class Row>
struct HasNoGroup {
  const Row* group_of;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t i) const {
    return group_of[i] == no_row<Row>;
  }
};

/// Writes the groups of listed items, which are new and numbered from `first` up.
template <class Row>
struct NumberNewGroups {
  const Row* items;
  const Row* numbers;  // of the items among the new groups; nullptr if each item has its own group
  Row first;
  Row* group_of;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const Row number = numbers == nullptr ? static_cast<Row>(k) : numbers[k];
    group_of[items[k]] = static_cast<Row>(first + number);
  }
};

/// Lists the items that have no group yet, in memory of `workspace`; waits for `exec`.
template <class Row, class Exec, class MemorySpace>
auto list_without_group(const Exec& exec, const Row* group_of, std::uint64_t count,
                        Workspace<MemorySpace>& workspace) {
  const HasNoGroup<Row> keep{group_of};
  const auto placed =
      place_kept<Row>("hashmill::hash_aggregation::count_new", exec, count, keep, workspace);
  const auto items = workspace.template take<Row>(exec, placed.total);
  if (placed.total != 0) {
    write_kept("hashmill::hash_aggregation::list_new", exec, count, keep, placed, 0, items.data());
  }
  return items;
}

/// The groups to which a batch is added, and what adding it takes. Refers to the caller's
/// variables.
template <class Exec, class Table, class Kept>
struct BatchTarget {
  const Exec& exec;
  Table& table;
  const Kept& kept;
  Workspace<typename Table::memory_space>& workspace;

  /// Appends groups without values, with the keys of the listed rows.
  template <class Keys, class Listed>
  void append(const Keys& by, const Listed& rows) const {
    typename Kept::Group empty{};
    kept.clear(&empty);
    table.append(exec, by.list(), rows.data(), rows.extent(0), empty, workspace);
  }
  /// Writes the numbers of the listed items' groups to `group_of`; asynchronous.
  template <class Items, class Row>
  void number(const Items& items, const Row* numbers, std::uint64_t first, Row* group_of) const {
    backends::for_each_index(
        "hashmill::hash_aggregation::number_new", exec, items.extent(0),
        NumberNewGroups<Row>{items.data(), numbers, static_cast<Row>(first), group_of});
  }
};

/// Adds a batch that repeats its keys. Aggregates it as `group_by` does, then merges each group of
/// the batch into its group in the table, so that no two threads change one row. Returns the
/// representatives of the new groups, in the order of these groups. Waits for `exec`.
template <class Row, class Target, class Keys, class By, class Folds>
auto add_groups(const Target& to, const Keys& keys, const By& by, const Folds& folds,
                const GroupHashOf<Keys>& hash) {
  using Memory = typename By::memory_space;
  const auto batch = accumulate_groups<Row, Memory>(to.exec, keys, folds, hash, to.workspace);
  const std::uint64_t count = batch.representatives.extent(0);
  const KeysOfRows<By, Row, Memory> queries{by, batch.representatives.data(), count};
  const auto group_of = to.workspace.template take<Row>(to.exec, count);
  to.table.find_async(to.exec, queries, group_of);
  const auto items = list_without_group(to.exec, group_of.data(), count, to.workspace);
  const auto rows = to.workspace.template take<Row>(to.exec, items.extent(0));
  gather(to.exec, batch.representatives, items, rows);
  const std::uint64_t first = to.table.size();
  to.append(by, rows);
  to.number(items, static_cast<const Row*>(nullptr), first, group_of.data());
  using Kept = std::decay_t<decltype(to.kept)>;
  const auto place = to.table.place();
  backends::for_each_index("hashmill::hash_aggregation::merge_batch", to.exec, count,
                           MergeBatch<Kept, Folds, Row, std::decay_t<decltype(place)>>{
                               to.kept, folds, batch.accumulators.data(), group_of.data(), place});
  to.exec.fence("hashmill::HashAggregation: the batch and its groups go");
  return rows;
}

/// Adds a batch that hardly repeats its keys. Finds each row's group, appends the groups that are
/// missing, and adds each row's values to the accumulators of its group. Returns the
/// representatives of the new groups, in the order of these groups. Waits for `exec`.
template <class Row, class Target, class Keys, class By, class Folds>
auto add_rows(const Target& to, const Keys& keys, const By& by, const Folds& folds,
              const GroupHashOf<Keys>& hash) {
  using Memory = typename By::memory_space;
  const std::uint64_t count = by.size();
  const auto group_of = to.workspace.template take<Row>(to.exec, count);
  to.table.find_async(to.exec, by, group_of);
  const auto items = list_without_group(to.exec, group_of.data(), count, to.workspace);
  RowGroups<Row, Memory> groups;
  if (items.extent(0) != 0) {
    const auto compared = group_keys(keys);
    const KeysOfRows<std::decay_t<decltype(compared)>, Row, Memory> fresh{compared, items.data(),
                                                                          items.extent(0)};
    const std::uint64_t expected = estimate_groups(to.exec, fresh, hash, to.workspace);
    groups = group_hashed(to.exec, fresh, expected, hash, to.workspace);
  }
  const auto rows = to.workspace.template take<Row>(to.exec, groups.size());
  gather(to.exec, items, groups.representatives, rows);
  const std::uint64_t first = to.table.size();
  to.append(by, rows);
  to.number(items, static_cast<const Row*>(groups.group_of.data()), first, group_of.data());
  fold_into_rows(to.exec, folds, static_cast<const Row*>(group_of.data()), count, to.table.place());
  to.exec.fence("hashmill::HashAggregation: the batch goes");
  return rows;
}

}  // namespace hashmill::detail
