#pragma once

#include <hashmill/column.hpp>
#include <hashmill/detail/group_by/fold.hpp>
#include <hashmill/detail/group_by/fold_operations.hpp>
#include <hashmill/error.hpp>

/// What `aggregate` and `group_by` can ask of the values of a group. Values are a contiguous view
/// of numbers, or a column of them with nulls, which aggregations leave out; a group without values
/// has none as result (a count of 0). They hold no memory: the columns must outlive their use.

namespace hashmill::agg {

namespace detail {

using namespace hashmill::detail;

template <class Op, class Values>
[[nodiscard]] auto fold(const Values& values, const Op& op = {}) {
  const auto column = as_column(values);
  return Fold<Op, std::decay_t<decltype(column)>, !Kokkos::is_view_v<Values>>(column, op);
}

template <class Values>
using ValueOf = typename decltype(fold<CountOp>(std::declval<const Values&>()))::Column::value_type;

}  // namespace detail

/// Rows of the group, whatever they hold: uint64.
[[nodiscard]] inline auto count() {
  return detail::Fold<detail::CountOp, detail::EveryRow, false>(detail::EveryRow{});
}
/// Values that are not null: uint64.
template <class Values>
[[nodiscard]] auto count(const Values& values) {
  return detail::fold<detail::CountOp>(values);
}
/// Their sum: int64 or uint64, which wrap around, or double, whose last digits depend on the order
/// in which threads come.
template <class Values>
[[nodiscard]] auto sum(const Values& values) {
  return detail::fold<detail::SumOp<detail::ValueOf<Values>>>(values);
}
/// The least; NaN is above all numbers (as in DuckDB and PostgreSQL).
template <class Values>
[[nodiscard]] auto min(const Values& values) {
  return detail::fold<detail::MinOp<detail::ValueOf<Values>>>(values);
}
/// The greatest; NaN if there is one.
template <class Values>
[[nodiscard]] auto max(const Values& values) {
  return detail::fold<detail::MaxOp<detail::ValueOf<Values>>>(values);
}
/// The arithmetic mean: double.
template <class Values>
[[nodiscard]] auto mean(const Values& values) {
  return detail::fold<detail::MeanOp>(values);
}
/// The variance: double; null for groups of `lost_degrees` values or fewer. 1 is that of a sample,
/// 0 that of the whole population. Reads the values twice: sums of squares of distances from the
/// mean, which do not cancel.
template <class Values>
[[nodiscard]] auto variance(const Values& values, std::uint64_t lost_degrees = 1) {
  return detail::fold<detail::VarianceOp>(values, {lost_degrees});
}
/// The value in the row with the lowest number of those that have one.
template <class Values>
[[nodiscard]] auto first(const Values& values) {
  return detail::fold<detail::FirstOp<detail::ValueOf<Values>>>(values);
}

}  // namespace hashmill::agg
