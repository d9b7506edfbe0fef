#pragma once

#include <hashmill/gather.hpp>
#include <hashmill/group_by/detail/batches/group_table.hpp>
#include <hashmill/group_by/detail/fold_list.hpp>
#include <tuple>

namespace hashmill::detail {

// Some rows of a batch as a batch of their own, which reads them in the columns of the whole one.

/// These columns, as a tuple.
[[nodiscard]] inline std::tuple<> columns_of(const ValueList<>&) { return {}; }
template <class First, class... Rest>
[[nodiscard]] auto columns_of(const ValueList<First, Rest...>& columns) {
  return std::tuple_cat(std::tuple(columns.first), columns_of(columns.rest));
}

/// Listed rows of columns, as a tuple of columns.
template <class... Cols, class Row>
[[nodiscard]] auto listed_columns(const Columns<Cols...>& by, const Row* rows,
                                  std::uint64_t count) {
  return std::apply(
      [&](const Cols&... column) {
        return std::tuple(ListedColumn<Cols, Row>{column, rows, count}...);
      },
      columns_of(by.list()));
}

/// The keys of listed rows: views of numbers as a view, in memory of `workspace`, which is grouped
/// faster. Waits for `exec` if it copies them.
template <class Exec, class Keys, class By, class Rows, class MemorySpace>
[[nodiscard]] auto listed_keys(const Exec& exec, [[maybe_unused]] const Keys& keys, const By& by,
                               const Rows& rows, Workspace<MemorySpace>& workspace) {
  if constexpr (Kokkos::is_view_v<Keys>) {
    using Key = typename Keys::non_const_value_type;
    const auto listed = workspace.template take<Key>(exec, rows.extent(0));
    gather(exec, keys, rows, listed);
    return listed;
  } else {
    return std::apply([](const auto&... column) { return columns(column...).nulls_equal(); },
                      listed_columns(by, rows.data(), rows.extent(0)));
  }
}

/// An aggregation of listed rows.
template <class Op, class Source, bool Nullable, class Row>
[[nodiscard]] auto listed_aggregation(const Fold<Op, Source, Nullable>& all, const Row* rows,
                                      std::uint64_t count) {
  if constexpr (std::is_same_v<Source, EveryRow>) {
    return all;
  } else {
    using Listed = ListedColumn<Source, Row>;
    return Fold<Op, Listed, Nullable>(Listed{all.column(), rows, count}, all.op());
  }
}

}  // namespace hashmill::detail
