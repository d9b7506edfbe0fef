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

/// Copies `count` rows of columns, a tuple: those in a list, or the first ones where that is null.
/// `Copies` is a tuple of the copies' types. Waits for `exec`.
template <class Copies, class Exec, class... Columns>
[[nodiscard]] Copies copy_columns(const Exec& exec, const std::tuple<Columns...>& columns,
                                  const std::uint64_t* rows, std::uint64_t count,
                                  Workspace<typename Exec::memory_space>& workspace) {
  const std::vector<std::uint64_t> all{0, count};
  return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    return Copies(copy_column<std::tuple_element_t<Is, Copies>>(
        exec,
        std::vector<PickedPart<KeyAccess<Columns>, std::uint64_t>>{
            {key_access(std::get<Is>(columns)), rows}},
        all, workspace)...);
  }
  (std::index_sequence_for<Columns...>());
}

}  // namespace hashmill::detail
