#pragma once

#include <hashmill/column.hpp>
#include <hashmill/error.hpp>
#include <hashmill/group_by/detail/fold.hpp>
#include <hashmill/group_by/detail/fold_operations.hpp>
#include <hashmill/group_by/detail/moments.hpp>

/// What `aggregate` and `group_by` can ask of the values of a group. Values are a view
/// of numbers, or a column of them with nulls, which aggregations leave out; a group without values
/// has none as result (a count of 0). They hold no memory: the columns must outlive their use.

namespace hashmill::agg {

namespace detail {

using namespace hashmill::detail;

/// Whether this is a view of numbers or a column of any kind, and whether its values are numbers.
template <class Values>
[[nodiscard]] consteval bool has_numbers() {
  if constexpr (Kokkos::is_view_v<Values>) {
    using Value = typename Values::non_const_value_type;
    return has_one_dimension<Values> && sizeof(Value) <= 8 &&
           (std::is_arithmetic_v<Value> || std::is_enum_v<Value>);
  } else if constexpr (ColumnOfValues<Values>) {
    using Value = typename Values::value_type;
    return sizeof(Value) <= 8 && (std::is_arithmetic_v<Value> || std::is_enum_v<Value>);
  }
  return false;
}
template <class Values>
[[nodiscard]] consteval bool has_values() {
  return has_numbers<Values>() || (!Kokkos::is_view_v<Values> && ColumnOfValues<Values>);
}

template <class Op, class Values>
[[nodiscard]] auto fold(const Values& values, const Op& op = {}) {
  const auto column = as_column(values);
  return Fold<Op, std::decay_t<decltype(column)>, !Kokkos::is_view_v<Values>>(column, op);
}

/// The fold of values that can be of any kind, by `Op<Value>`.
template <template <class> class Op, class Values>
[[nodiscard]] auto fold_values(const Values& values) {
  static_assert(has_values<Values>(),
                "hashmill::agg: count and first take a view of numbers or a column");
  if constexpr (has_values<Values>()) {
    return fold<Op<typename decltype(as_column(values))::value_type>>(values);
  }
}
/// That of numbers; `settings` go to `Op<Value>`.
template <template <class> class Op, class Values, class... Settings>
[[nodiscard]] auto fold_numbers(const Values& values, const Settings&... settings) {
  static_assert(has_numbers<Values>(),
                "hashmill::agg: sum, min, max, mean and variance take a view or a column of "
                "numbers of at most 64 bits");
  if constexpr (has_numbers<Values>()) {
    using OfValue = Op<typename decltype(as_column(values))::value_type>;
    return fold<OfValue>(values, OfValue{settings...});
  }
}
template <class>
using CountOpOf = CountOp;

}  // namespace detail

/// Rows of the group, whatever they hold: uint64.
[[nodiscard]] inline auto count() {
  return detail::Fold<detail::CountOp, detail::EveryRow, false>(detail::EveryRow{});
}
/// Values that are not null: uint64.
template <class Values>
[[nodiscard]] auto count(const Values& values) {
  return detail::fold_values<detail::CountOpOf>(values);
}
/// Their sum: int64 or uint64, modulo 2^64, or double, whose last digits depend on the order in
/// which threads come.
template <class Values>
[[nodiscard]] auto sum(const Values& values) {
  return detail::fold_numbers<detail::SumOp>(values);
}
/// The least; NaN is above all numbers (as in DuckDB and PostgreSQL).
template <class Values>
[[nodiscard]] auto min(const Values& values) {
  return detail::fold_numbers<detail::MinOp>(values);
}
/// The greatest; NaN if there is one.
template <class Values>
[[nodiscard]] auto max(const Values& values) {
  return detail::fold_numbers<detail::MaxOp>(values);
}
/// The arithmetic mean: double.
///
/// Of integers, within 2^-52 of itself and the same in any order, since their sum is exact, in 128
/// bits. Of n floating-point numbers, within 2^-52 of itself and n² 2^-104 of the mean of their
/// magnitudes: sums keep what they round off. Infinite or NaN where a value is or where a sum of
/// some of the values exceeds the range of double. (`-fassociative-math`, part of `-ffast-math`,
/// lets a compiler throw away what is kept.)
template <class Values>
[[nodiscard]] auto mean(const Values& values) {
  return detail::fold_numbers<detail::MeanOp>(values);
}
/// The variance: double; null for groups of `lost_degrees` values or fewer. 1 is that of a sample,
/// 0 that of the whole population.
///
/// Of integers, within 2^-51 of itself and the same in any order: sums of values and of squares are
/// exact, and so is the difference that is taken of them. Of floating-point numbers, within 2^-48
/// of itself and the square of what `mean` may be off before its result is rounded: reads the
/// values twice, and sums up the squares of their distances from the mean, which do not cancel,
/// whatever the distance of all of them from 0. NaN where a value is infinite or NaN; infinite or
/// NaN where a sum of some of the values or of their squares exceeds the range of double.
template <class Values>
[[nodiscard]] auto variance(const Values& values, std::uint64_t lost_degrees = 1) {
  return detail::fold_numbers<detail::VarianceOp>(values, detail::LostDegrees{lost_degrees});
}
/// The value in the row with the lowest number of those that have one.
template <class Values>
[[nodiscard]] auto first(const Values& values) {
  return detail::fold_values<detail::FirstOp>(values);
}

}  // namespace hashmill::agg
