#pragma once

#include <hashmill/distributed_group_by/detail/plain_rows.hpp>
#include <hashmill/distributed_group_by/options.hpp>
#include <hashmill/gather.hpp>
#include <hashmill/group_by/detail/accumulate_groups.hpp>
#include <hashmill/group_by/detail/batches/group_table.hpp>
#include <hashmill/group_by/detail/batches/state_folds.hpp>
#include <hashmill/group_by/grouped_columns.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/columns_to_ranks.hpp>
#include <tuple>

namespace hashmill::detail {

/// The keys and results of accumulated groups; their keys are in these columns. Waits for `exec`.
template <class Exec, class Folds, class Groups, class MemorySpace, class... Cols>
[[nodiscard]] auto grouped_columns(const Exec& exec, const Folds& folds, const Groups& groups,
                                   Workspace<MemorySpace>& workspace, const Cols&... cols) {
  std::tuple keys(gather_column(exec, cols, groups.representatives, workspace)...);
  auto results = collect<MemorySpace>(exec, folds, groups.accumulators);
  exec.fence("hashmill::distributed_group_by: results are handed to the caller");
  return GroupedColumns<decltype(keys), decltype(results)>{std::move(keys), std::move(results),
                                                           groups.representatives.extent(0)};
}
template <class Exec, class Folds, class Groups, class MemorySpace, class... Cols>
[[nodiscard]] auto grouped_columns(const Exec& exec, const Folds& folds, const Groups& groups,
                                   Workspace<MemorySpace>& workspace,
                                   const std::tuple<Cols...>& cols) {
  return std::apply(
      [&](const Cols&... col) { return grouped_columns(exec, folds, groups, workspace, col...); },
      cols);
}

/// Sends keys and states to the ranks that own the keys, and groups those that come. Part of a
/// collective call. `FromView`: keys were given as a view of numbers, which has no nulls. They
/// arrive as a view too, by which integers are grouped faster.
template <bool FromView, class Row, class Exec, class Hash>
class GroupOwner {
 public:
  using MemorySpace = typename Exec::memory_space;

  GroupOwner(const Exec& exec, const Communicator& ranks, CollectiveCall& call, const Hash& hash,
             const DistributedGroupOptions& options, Workspace<MemorySpace>& workspace)
      : exec_(exec),
        ranks_(ranks),
        call_(call),
        hash_(hash),
        options_(options),
        workspace_(workspace) {}

  /// The groups that this rank owns, as GroupedColumns. `kept` are the folds that hold the states.
  template <class Kept, class States, class... Cols>
  [[nodiscard]] auto group(const Kept& kept, const std::tuple<Cols...>& keys,
                           const States& states) const {
    const auto received = send(states.size(), keys, std::tuple(states));
    decltype(group_received(kept, received)) found;
    call_.step("aggregate", [&] { found = group_received(kept, received); });
    return found;
  }
  /// As `group`, of rows that travel as they are.
  template <class... Cols, class... Aggregations>
  [[nodiscard]] auto group_rows(std::uint64_t rows, const std::tuple<Cols...>& keys,
                                const Aggregations&... aggregations) const {
    const auto received = send(rows, keys, std::tuple_cat(sent_values(aggregations)...));
    const auto folds = received_folds<sizeof...(Cols)>(received, aggregations...);
    const auto group = [&]<unsigned... Cs>(std::integer_sequence<unsigned, Cs...>) {
      check_rows<Row>(0, received.size());
      const typename Workspace<MemorySpace>::Frame frame(workspace_);
      return group_by_columns(folds, readable(received.template column<Cs>())...);
    };
    constexpr std::make_integer_sequence<unsigned, sizeof...(Cols)> all;
    decltype(group(all)) found;
    call_.step("aggregate", [&] { found = group(all); });
    return found;
  }

 private:
  template <class Column>
  static auto sent(const Column& column) {
    if constexpr (FromView) {
      return ValuesOnly<Column>{column};
    } else {
      return column;
    }
  }
  /// Sends rows: key columns and others beside them.
  template <class... Cols, class... More>
  auto send(std::uint64_t rows, const std::tuple<Cols...>& keys,
            const std::tuple<More...>& beside) const {
    const auto by =
        std::apply([](const Cols&... column) { return columns(column...).nulls_equal(); }, keys);
    const RankOfKey<std::decay_t<decltype(by)>, Hash> owner{
        by, hash_, static_cast<std::uint32_t>(ranks_.size())};
    const auto values = std::tuple_cat(
        std::apply([](const Cols&... column) { return std::tuple(sent(column)...); }, keys),
        beside);
    return std::apply(
        [&]<class... Sent>(const Sent&... column) {
          const PartShape shape{static_cast<std::uint64_t>(ranks_.size())};
          return ColumnsToRanks<Exec, Sent...>(exec_, ranks_, call_, rows, shape, owner,
                                               {options_.compression, options_.levels}, workspace_,
                                               column...)
              .exchange();
        },
        values);
  }

  template <class Column>
  static auto readable(const Column& column) {
    if constexpr (FromView) {
      return column;
    } else {
      return column.column();
    }
  }
  template <class Kept, class Received>
  auto group_received(const Kept& kept, const Received& received) const {
    constexpr auto num_keys =
        static_cast<unsigned>(std::tuple_size_v<decltype(received.columns)> - 1);
    return [&]<unsigned... Cs>(std::integer_sequence<unsigned, Cs...>) {
      const auto& states = received.template column<num_keys>();
      using Group = typename Kept::Group;
      const auto folds = folds_of_states(kept, WholeGroup<Group>{states.data()});
      check_rows<Row>(0, states.extent(0));
      const typename Workspace<MemorySpace>::Frame frame(workspace_);
      return group_by_columns(folds, readable(received.template column<Cs>())...);
    }
    (std::make_integer_sequence<unsigned, num_keys>());
  }
  template <class Folds, class... Cols>
  auto group_by_columns(const Folds& folds, const Cols&... cols) const {
    const auto keys = keys_of(cols...);
    const auto groups =
        accumulate_groups<Row, MemorySpace>(exec_, keys, folds, options_.seed, workspace_);
    return grouped_columns(exec_, folds, groups, workspace_, cols...);
  }
  template <class... Cols>
  static auto keys_of(const Cols&... cols) {
    if constexpr (FromView) {
      return std::get<0>(std::tuple(cols...));
    } else {
      return columns(cols...).nulls_equal();
    }
  }

  Exec exec_;
  const Communicator& ranks_;
  CollectiveCall& call_;
  Hash hash_;
  DistributedGroupOptions options_;
  Workspace<MemorySpace>& workspace_;
};

}  // namespace hashmill::detail
