#pragma once

#include <hashmill/distributed_join/detail/local_columns.hpp>
#include <hashmill/distributed_join/join_side.hpp>
#include <hashmill/primitives/detail/pick_column.hpp>
#include <hashmill/shuffle/detail/column_kind.hpp>
#include <tuple>
#include <vector>

namespace hashmill::detail {

// Columns in memory of their own, with nulls only where the caller's columns can have some. They
// are what `shuffle` returns.

/// The type in which a column is stored.
template <class MemorySpace, class Column>
using StoredColumn = std::conditional_t<
    column_kind<Column> == ColumnKind::values, Kokkos::View<KeyOf<Column>*, MemorySpace>,
    std::conditional_t<column_kind<Column> == ColumnKind::strings, OwnedStrings<MemorySpace>,
                       OwnedColumn<KeyOf<Column>, MemorySpace>>>;
/// The columns of a side.
template <class MemorySpace, class Side>
struct StoredColumnsOf;
template <class MemorySpace, class KeyColumns, class... Columns>
struct StoredColumnsOf<MemorySpace, JoinSide<KeyColumns, Columns...>> {
  using type = std::tuple<StoredColumn<MemorySpace, Columns>...>;
};
template <class MemorySpace, class Side>
using StoredColumns = typename StoredColumnsOf<MemorySpace, Side>::type;

/// Stores rows that are picked from columns of one kind.
template <class Stored, class Exec, class Column, class Row>
[[nodiscard]] Stored store_column(const Exec& exec,
                                  const std::vector<PickedPart<Column, Row>>& parts,
                                  const std::vector<std::uint64_t>& begins,
                                  Workspace<typename Exec::memory_space>& workspace) {
  constexpr bool can_be_null = !Kokkos::is_view_v<Stored>;
  auto picked = pick_column(exec, parts, begins, can_be_null, workspace);
  if constexpr (can_be_null) {
    return picked;
  } else {
    return picked.values;
  }
}

/// Columns of several batches of stored rows, one after the other. A single batch is not copied.
template <class Exec, class... Stored>
[[nodiscard]] std::tuple<Stored...> concatenate(const Exec& exec,
                                                std::vector<std::tuple<Stored...>> batches,
                                                Workspace<typename Exec::memory_space>& workspace) {
  using Memory = typename Exec::memory_space;
  if (batches.size() == 1) return std::move(batches.front());
  std::vector<std::uint64_t> begins{0};
  for (const auto& batch : batches) {
    begins.push_back(begins.back() + length_of(std::get<0>(batch)));
  }
  const auto column = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    using Access = decltype(key_access(local_column<Memory>(std::get<I>(batches.front()))));
    std::vector<PickedPart<Access, std::uint64_t>> parts;
    for (const auto& batch : batches) {
      parts.push_back({key_access(local_column<Memory>(std::get<I>(batch))), nullptr});
    }
    return store_column<std::tuple_element_t<I, std::tuple<Stored...>>>(exec, parts, begins,
                                                                        workspace);
  };
  return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    return std::tuple<Stored...>(column(std::integral_constant<std::size_t, Is>())...);
  }
  (std::index_sequence_for<Stored...>());
}

}  // namespace hashmill::detail
