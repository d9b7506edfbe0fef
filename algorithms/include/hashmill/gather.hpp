#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/pick_column.hpp>
#include <hashmill/row.hpp>

namespace hashmill {

/// out(i) = values(rows(i)), or `otherwise` where rows(i) is `no_row` or that row of a column is
/// null. It makes a column of a join's result. `values` is the view or column to which the row
/// numbers refer. Row numbers begin at 0, unless `values` begins at the table's `row_base`.
///
/// No value is cut: a call whose results are of a type that cannot hold every value does not
/// compile.
///
/// Fences `exec`. Throws InvalidArgument unless `out` has the length of `rows`. Reads every row
/// number and writes every result once; reads values at random.
template <backends::ExecutionSpace Exec, class Values, class Rows, class Out>
void gather(const Exec& exec, const Values& values, const Rows& rows, const Out& out,
            typename Out::non_const_value_type otherwise = {}) {
  using Row = typename Rows::non_const_value_type;
  static_assert(RowNumber<Row>, "hashmill::gather: rows are a view of row numbers");
  static_assert(detail::is_accessible<Exec, Values>() && detail::is_accessible<Exec, Rows>() &&
                    detail::is_accessible<Exec, Out>(),
                "hashmill::gather: the execution space cannot access a view's memory space");
  detail::require_one_dimension<Values>();
  static_assert(detail::holds_all_of<typename Out::non_const_value_type, detail::KeyOf<Values>>,
                "hashmill::gather: results have a type that holds every value");
  detail::same_room("gather", "rows", rows, "values", out);
  Kokkos::Profiling::ScopedRegion region("hashmill::gather");
  backends::for_each_index("hashmill::gather", exec, rows.extent(0),
                           detail::GatherValue<Values, Rows, Out>{values, rows, out, otherwise});
  exec.fence("hashmill::gather: results are handed to the caller");
}

/// A new column whose row i is row rows(i) of `values`, or null where rows(i) is `no_row` or that
/// row is null: an OwnedColumn, or OwnedStrings. It makes a column of a join's result, with its
/// nulls.
///
/// - values: a view of trivially copyable values, or a column of any kind.
/// - rows: a contiguous view of row numbers, as joins return them.
///
/// Fences `exec`. Reads every row number once, three times for strings, and values at random;
/// writes each value once, and a bit per row. Takes temporary memory from `workspace`. Throws
/// CapacityError where memory is short.
template <class Exec, class Values, class Rows>
[[nodiscard]] auto gather_column(const Exec& exec, const Values& values, const Rows& rows,
                                 Workspace<typename Exec::memory_space>& workspace) {
  using Row = typename Rows::non_const_value_type;
  static_assert(RowNumber<Row> && detail::is_contiguous_view<Rows>,
                "hashmill::gather_column: rows are a contiguous view of row numbers");
  static_assert(detail::is_accessible<Exec, Values>() && detail::is_accessible<Exec, Rows>(),
                "hashmill::gather_column: the execution space cannot access a view's memory space");
  Kokkos::Profiling::ScopedRegion region("hashmill::gather_column");
  const std::vector<detail::PickedPart<detail::KeyAccess<Values>, Row>> parts{
      {detail::key_access(values), rows.data()}};
  return detail::pick_column(exec, parts, {0, rows.extent(0)}, true, workspace);
}

}  // namespace hashmill
