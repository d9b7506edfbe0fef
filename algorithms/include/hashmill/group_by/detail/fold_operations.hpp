#pragma once

#include <hashmill/primitives/detail/ordered_bits.hpp>
#include <hashmill/row_key.hpp>

namespace hashmill::detail {

// The operations of Fold: what it does with the values of a column.

/// Base of operations with one pass, whose result is null for groups without a value.
struct OnePass {
  static constexpr bool needs_count = false;
  static constexpr bool can_be_null = true;
  static constexpr bool two_passes = false;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_null(std::uint64_t count) {
    return count == 0;
  }
};

/// Base of operations that add.
template <class Number>
struct Added : OnePass {
  using State = Number;
  using result_type = Number;
  KOKKOS_FORCEINLINE_FUNCTION static State empty() { return 0; }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION static void merge(State* to, const State& from) {
    How::add(to, from);
  }
  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION static Number result(const State& sum, std::uint64_t, const Column&) {
    return sum;
  }
};

struct CountOp : Added<std::uint64_t> {
  static constexpr bool can_be_null = false;
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add(State* to, const Column&, std::uint64_t) {
    How::add(to, State{1});
  }
};

/// Sums of integers wrap around. They are computed in unsigned integers, since signed ones must not
/// overflow.
template <class Value>
struct SumOp : Added<std::conditional_t<std::is_floating_point_v<Value>, double, std::uint64_t>> {
  using State = typename SumOp::State;
  using result_type = typename WidestOfKind<Value>::type;
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add(State* to, const Column& column, std::uint64_t i) {
    How::add(to, static_cast<State>(column(i)));
  }
  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION static result_type result(State sum, std::uint64_t, const Column&) {
    return static_cast<result_type>(sum);
  }
};

/// Base of operations that keep the lowest of 64-bit numbers.
struct Lowest : OnePass {
  using State = std::uint64_t;
  KOKKOS_FORCEINLINE_FUNCTION static State empty() { return ~State{0}; }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION static void merge(State* to, const State& from) {
    How::lower(to, from);
  }
};

template <class Value>
struct MinOp : Lowest {
  using result_type = Value;
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add(State* to, const Column& column, std::uint64_t i) {
    How::lower(to, ordered_bits(column(i)));
  }
  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION static Value result(State bits, std::uint64_t, const Column&) {
    return from_ordered_bits<Value>(bits);
  }
};

/// The maximum as the minimum of complements.
template <class Value>
struct MaxOp : Lowest {
  using result_type = Value;
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add(State* to, const Column& column, std::uint64_t i) {
    How::lower(to, ~ordered_bits(column(i)));
  }
  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION static Value result(State bits, std::uint64_t, const Column&) {
    return from_ordered_bits<Value>(~bits);
  }
};

/// The value of the row with the lowest number.
template <class Value>
struct FirstOp : Lowest {
  using result_type = Value;
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add(State* to, const Column&, std::uint64_t i) {
    How::lower(to, i);
  }
  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION static Value result(State row, std::uint64_t, const Column& column) {
    return column(row);
  }
};

}  // namespace hashmill::detail
