#pragma once

#include <hashmill/distributed_group_by/detail/listed_batch.hpp>
#include <hashmill/distributed_group_by/detail/row_states.hpp>
#include <hashmill/group_by/detail/batches/aggregated_batches.hpp>
#include <hashmill/spill/detail/stored_side.hpp>

namespace hashmill::detail {

/// The state of each row of a batch alone: a column of values.
template <class Kept, class Folds, class MemorySpace>
struct RowStates {
  using memory_space = MemorySpace;
  using value_type = typename Kept::Group;
  Kept kept;
  Folds folds;
  std::uint64_t count;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    return state_of_row(kept, folds, i);
  }
};

/// A column of keys, which has no nulls if keys come as a view.
template <bool FromView, class Column>
[[nodiscard]] auto key_column(const Column& column) {
  if constexpr (FromView) {
    return ValuesOnly<Column>{column};
  } else {
    return column;
  }
}

/// Groups of a HashAggregation as rows of columns: their keys, and behind them their states.
/// `FromView`: keys come as a view of numbers, and are stored as one.
template <bool FromView, class Exec, class Batches, class Numbers>
struct GroupColumns;
template <bool FromView, class Exec, class Batches, unsigned... Cs>
struct GroupColumns<FromView, Exec, Batches, std::integer_sequence<unsigned, Cs...>> {
  using Memory = typename Exec::memory_space;
  using Ref = typename Batches::Table::Ref;
  using Group = typename Batches::Group;
  using States = ValuesOnly<StoredColumn<Ref, sizeof...(Cs)>>;
  template <unsigned C>
  using Key = decltype(key_column<FromView>(std::declval<const StoredColumn<Ref, C>&>()));
  using Stored = StoredSide<Exec, JoinSide<std::index_sequence<Cs...>, Key<Cs>..., States>>;
  using Columns = typename Stored::Columns;  ///< as they are read again

  /// The groups of a table.
  [[nodiscard]] static auto of(const typename Batches::Table& table) {
    const Ref rows = table.rows().ref();
    return std::tuple(key_column<FromView>(StoredColumn<Ref, Cs>(rows))...,
                      States{StoredColumn<Ref, sizeof...(Cs)>(rows)});
  }
  /// Rows of a batch as groups of one row each. `by` are their keys as `columns(...)`.
  template <class By, class Folds>
  [[nodiscard]] static auto of_rows(const typename Batches::Kept& kept, const By& by,
                                    const Folds& folds) {
    const auto keys = columns_of(by.list());
    return std::tuple(key_column<FromView>(std::get<Cs>(keys))...,
                      RowStates<typename Batches::Kept, Folds, Memory>{kept, folds, by.size()});
  }
  /// The keys of groups that were stored, and their states.
  [[nodiscard]] static auto keys_of(const Columns& groups) {
    if constexpr (FromView) {
      return std::get<0>(groups);
    } else {
      return columns(std::get<Cs>(groups)...);
    }
  }
  [[nodiscard]] static WholeGroup<Group> states_of(const Columns& groups) {
    return {std::get<sizeof...(Cs)>(groups).data()};
  }
  /// Copies of groups whose keys are in listed rows of a view, and whose states lie side by side.
  [[nodiscard]] static auto copies(const Exec& exec, const Columns& groups,
                                   const std::uint64_t* rows, const Group* states,
                                   std::uint64_t count, Workspace<Memory>& workspace) {
    using All = Kokkos::View<const Group*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using Copies = typename Stored::Copies;
    return std::tuple_cat(copy_columns<std::tuple<std::tuple_element_t<0, Copies>>>(
                              exec, std::tuple(std::get<0>(groups)), rows, count, workspace),
                          copy_columns<std::tuple<std::tuple_element_t<1, Copies>>>(
                              exec, std::tuple(All(states, count)), nullptr, count, workspace));
  }
  /// Listed groups of a table, as `HashAggregation::results` gives them. Waits for `exec`.
  [[nodiscard]] static auto results(const Exec& exec, const Batches& batches,
                                    const std::uint64_t* rows, std::uint64_t count,
                                    Workspace<Memory>& workspace) {
    auto copies =
        copy_columns<typename Stored::Copies>(exec, of(batches.table), rows, count, workspace);
    const Group* const states = std::get<sizeof...(Cs)>(copies).data();
    return results_of(exec, batches.kept, std::tuple(std::move(std::get<Cs>(copies))...), states,
                      count);
  }
  /// Groups whose keys are in listed rows of a view, and whose states lie side by side. Waits for
  /// `exec`.
  template <class Keys>
  [[nodiscard]] static auto results(const Exec& exec, const typename Batches::Kept& kept,
                                    const Keys& keys, const std::uint64_t* rows,
                                    const Group* states, std::uint64_t count,
                                    Workspace<Memory>& workspace) {
    using Copies = std::tuple<std::tuple_element_t<0, typename Stored::Copies>>;
    return results_of(exec, kept,
                      copy_columns<Copies>(exec, std::tuple(keys), rows, count, workspace), states,
                      count);
  }

 private:
  template <class Copies>
  [[nodiscard]] static auto results_of(const Exec& exec, const typename Batches::Kept& kept,
                                       Copies copies, const Group* states, std::uint64_t count) {
    auto results = collect_from<Memory>(exec, kept, WholeGroup<Group>{states}, count);
    std::tuple keys(owned(std::move(std::get<Cs>(copies)))...);
    exec.fence("hashmill::HybridHashAggregation: results are handed to the caller");
    return GroupedColumns<decltype(keys), decltype(results)>{std::move(keys), std::move(results),
                                                             count};
  }
  template <class Copy>
  [[nodiscard]] static auto owned(Copy copy) {
    if constexpr (FromView) {
      return OwnedColumn<typename Copy::value_type, Memory>{std::move(copy), {}};
    } else {
      return copy;
    }
  }
};

}  // namespace hashmill::detail
