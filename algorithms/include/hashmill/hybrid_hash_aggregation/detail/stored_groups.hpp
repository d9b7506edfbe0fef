#pragma once

#include <hashmill/group_by/detail/batches/aggregated_batches.hpp>
#include <hashmill/spill/detail/stored_side.hpp>

namespace hashmill::detail {

/// Groups of a HashAggregation as rows of columns: their keys, and behind them their states.
template <class Exec, class Batches, class Numbers>
struct GroupColumns;
template <class Exec, class Batches, unsigned... Cs>
struct GroupColumns<Exec, Batches, std::integer_sequence<unsigned, Cs...>> {
  using Memory = typename Exec::memory_space;
  using Ref = typename Batches::Table::Ref;
  using Group = typename Batches::Group;
  using States = ValuesOnly<StoredColumn<Ref, sizeof...(Cs)>>;
  using Stored =
      StoredSide<Exec, JoinSide<std::index_sequence<Cs...>, StoredColumn<Ref, Cs>..., States>>;
  using Columns = typename Stored::Columns;  ///< as they are read again

  /// The groups of a table.
  [[nodiscard]] static auto of(const typename Batches::Table& table) {
    const Ref rows = table.rows().ref();
    return std::tuple(StoredColumn<Ref, Cs>(rows)...,
                      States{StoredColumn<Ref, sizeof...(Cs)>(rows)});
  }
  /// The keys of groups that were stored, and their states.
  [[nodiscard]] static auto keys_of(const Columns& groups) {
    return columns(std::get<Cs>(groups)...);
  }
  [[nodiscard]] static WholeGroup<Group> states_of(const Columns& groups) {
    return {std::get<sizeof...(Cs)>(groups).data()};
  }
  /// Listed groups of a table, as `HashAggregation::results` gives them. Waits for `exec`.
  [[nodiscard]] static auto results(const Exec& exec, const Batches& batches,
                                    const std::uint64_t* rows, std::uint64_t count,
                                    Workspace<Memory>& workspace) {
    auto copies =
        copy_columns<typename Stored::Copies>(exec, of(batches.table), rows, count, workspace);
    auto results = collect_from<Memory>(
        exec, batches.kept, WholeGroup<Group>{std::get<sizeof...(Cs)>(copies).data()}, count);
    std::tuple keys(std::move(std::get<Cs>(copies))...);
    exec.fence("hashmill::HybridHashAggregation: results are handed to the caller");
    return GroupedColumns<decltype(keys), decltype(results)>{std::move(keys), std::move(results),
                                                             count};
  }
};

}  // namespace hashmill::detail
