#pragma once

#include <hashmill/column.hpp>
#include <hashmill/error.hpp>
#include <hashmill/group_by/detail/fold.hpp>
#include <hashmill/group_by/detail/fold_operations.hpp>
#include <hashmill/group_by/detail/moments.hpp>

/// The aggregations of `aggregate`, `group_by` and `hash_aggregation`.
///
///     namespace agg = hashmill::agg;
///     const Kokkos::DefaultExecutionSpace exec;
///     const Kokkos::View<std::uint64_t*> customer("customer", 1000);
///     const Kokkos::View<double*> price("price", 1000);
///     const Kokkos::View<std::uint8_t*> has_price("has_price", 125);  // bitmap, 1 bit per row
///     const auto prices = hashmill::column(price, hashmill::validity(has_price, 1000));
///     const auto found = hashmill::group_by(exec, customer, agg::count(), agg::count(prices),
///                                           agg::mean(prices), agg::variance(prices, 0));
///     const auto means = std::get<2>(found.results).column();  // null where no row has a price
///
/// Values are a view of numbers, or a column that can have nulls. `count` and `first` take columns
/// of any kind. Aggregations leave nulls out. The result of a group without values is null, and its
/// count is 0.
///
/// Aggregations own no memory: the columns must outlive their use. Each function only describes an
/// aggregation and starts no work. Values of another kind are refused by the compiler.

namespace hashmill::agg {

namespace detail {

using namespace hashmill::detail;

/// Whether this is a view or a column of numbers of at most 64 bits.
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
/// Whether this is a view of numbers or a column of any kind.
template <class Values>
[[nodiscard]] consteval bool has_values() {
  return has_numbers<Values>() || (!Kokkos::is_view_v<Values> && ColumnOfValues<Values>);
}

template <class Op, class Values>
[[nodiscard]] auto fold(const Values& values, const Op& op = {}) {
  const auto column = as_column(values);
  return Fold<Op, std::decay_t<decltype(column)>, !Kokkos::is_view_v<Values>>(column, op);
}

/// The fold `Op<Value>` of values of any kind.
template <template <class> class Op, class Values>
[[nodiscard]] auto fold_values(const Values& values) {
  static_assert(has_values<Values>(),
                "hashmill::agg: count and first take a view of numbers or a column");
  if constexpr (has_values<Values>()) {
    return fold<Op<typename decltype(as_column(values))::value_type>>(values);
  }
}
/// The fold `Op<Value>` of numbers; `settings` initialise the operation.
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

/// The number of rows of the group, nulls included. Result: uint64, never null.
[[nodiscard]] inline auto count() {
  return detail::Fold<detail::CountOp, detail::EveryRow, false>(detail::EveryRow{});
}
/// The number of values that are not null. Result: uint64, never null.
template <class Values>
[[nodiscard]] auto count(const Values& values) {
  return detail::fold_values<detail::CountOpOf>(values);
}
/// The sum. Result: int64 or uint64, modulo 2^64, for integers; double for floating-point numbers.
/// The last digits of a double depend on the order in which threads add.
template <class Values>
[[nodiscard]] auto sum(const Values& values) {
  return detail::fold_numbers<detail::SumOp>(values);
}
/// The least value, of the type of the values. NaN is above all numbers (as in DuckDB and
/// PostgreSQL).
template <class Values>
[[nodiscard]] auto min(const Values& values) {
  return detail::fold_numbers<detail::MinOp>(values);
}
/// The greatest value, of the type of the values; NaN if there is one.
template <class Values>
[[nodiscard]] auto max(const Values& values) {
  return detail::fold_numbers<detail::MaxOp>(values);
}
/// The arithmetic mean. Result: double.
///
///     values                     error at most
///     integers                   2^-52 of the mean; the same result in any order
///     n floating-point numbers   2^-52 of the mean, plus n² 2^-104 of the mean of the magnitudes
///
/// The sum of integers is exact, in 128 bits. Sums of floating-point numbers keep what they round
/// off. The result is infinite or NaN if a value is, or if a sum of some of the values exceeds the
/// range of double. (`-fassociative-math`, part of `-ffast-math`, lets a compiler discard what the
/// sums keep.)
template <class Values>
[[nodiscard]] auto mean(const Values& values) {
  return detail::fold_numbers<detail::MeanOp>(values);
}
/// The variance. Result: double; null for groups of at most `lost_degrees` values. `lost_degrees`
/// is 1 for the variance of a sample, and 0 for that of the whole population.
///
///     values                   error at most
///     integers                 2^-51 of the variance; the same result in any order
///     floating-point numbers   2^-48 of the variance, plus the square of the error of `mean`
///                              before its result is rounded
///
/// Of integers, the sums of values and of squares are exact, and so is their difference.
/// Floating-point values are read twice: the second pass sums the squares of their distances from
/// the mean. These do not cancel, however far all values are from 0.
///
/// The result is NaN if a value is infinite or NaN. It is infinite or NaN if a sum of some of the
/// values, or of their squares, exceeds the range of double.
template <class Values>
[[nodiscard]] auto variance(const Values& values, std::uint64_t lost_degrees = 1) {
  return detail::fold_numbers<detail::VarianceOp>(values, detail::LostDegrees{lost_degrees});
}
/// The value of the first row, by row number, that is not null; of the type of the values. Of
/// strings it refers to the bytes in the column.
template <class Values>
[[nodiscard]] auto first(const Values& values) {
  return detail::fold_values<detail::FirstOp>(values);
}

}  // namespace hashmill::agg
