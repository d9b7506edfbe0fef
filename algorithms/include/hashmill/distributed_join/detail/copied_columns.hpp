#pragma once

#include <hashmill/distributed_join/detail/local_columns.hpp>
#include <hashmill/primitives/detail/pick_column.hpp>
#include <hashmill/shuffle/detail/column_kind.hpp>
#include <tuple>
#include <vector>

namespace hashmill::detail {

// Columns in memory of their own, with nulls only where the caller's columns can have some. They
// are what `shuffle` returns.

/// The type of a copy of a column.
template <class MemorySpace, class Column>
using CopiedColumn = std::conditional_t<
    column_kind<Column> == ColumnKind::values, Kokkos::View<KeyOf<Column>*, MemorySpace>,
    std::conditional_t<column_kind<Column> == ColumnKind::strings, OwnedStrings<MemorySpace>,
                       OwnedColumn<KeyOf<Column>, MemorySpace>>>;
/// Copies rows that are picked from columns of one kind.
template <class Copies, class Exec, class Column, class Row>
[[nodiscard]] Copies copy_column(const Exec& exec,
                                 const std::vector<PickedPart<Column, Row>>& parts,
                                 const std::vector<std::uint64_t>& begins,
                                 Workspace<typename Exec::memory_space>& workspace) {
  constexpr bool can_be_null = !Kokkos::is_view_v<Copies>;
  auto picked = pick_column(exec, parts, begins, can_be_null, workspace);
  if constexpr (can_be_null) {
    return picked;
  } else {
    return picked.values;
  }
}

/// Copied columns of several batches, one after the other. A single batch is not copied again.
template <class Exec, class... Copies>
[[nodiscard]] std::tuple<Copies...> concatenate(const Exec& exec,
                                                std::vector<std::tuple<Copies...>> batches,
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
    return copy_column<std::tuple_element_t<I, std::tuple<Copies...>>>(exec, parts, begins,
                                                                       workspace);
  };
  return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    return std::tuple<Copies...>(column(std::integral_constant<std::size_t, Is>())...);
  }
  (std::index_sequence_for<Copies...>());
}

}  // namespace hashmill::detail
