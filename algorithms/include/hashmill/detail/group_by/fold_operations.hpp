#pragma once

#include <hashmill/detail/group_by/ordered_bits.hpp>
#include <hashmill/row_key.hpp>

namespace hashmill::detail {

// What Fold does with the values of a column.

/// Operations of one pass, null for groups without a value.
struct OnePass {
  static constexpr bool needs_count = false;
  static constexpr bool can_be_null = true;
  static constexpr bool two_passes = false;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool is_null(std::uint64_t count) {
    return count == 0;
  }
};

/// Operations that add.
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

template <class Value>
struct SumOp : Added<typename WidestOfKind<Value>::type> {
  using State = typename WidestOfKind<Value>::type;
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add(State* to, const Column& column, std::uint64_t i) {
    How::add(to, static_cast<State>(column(i)));
  }
};

struct MeanOp : Added<double> {
  static constexpr bool needs_count = true;
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add(double* to, const Column& column, std::uint64_t i) {
    How::add(to, static_cast<double>(column(i)));
  }
  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION static double result(double sum, std::uint64_t count, const Column&) {
    return sum / static_cast<double>(count);
  }
};

/// Operations that keep the lowest of 64-bit numbers.
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

/// The mean first, then the squares of the distances from it.
struct VarianceOp {
  struct State {
    double sum;
    double squares;
  };
  using result_type = double;
  static constexpr bool needs_count = true;
  static constexpr bool can_be_null = true;
  static constexpr bool two_passes = true;
  std::uint64_t lost_degrees = 1;  // of freedom

  KOKKOS_FORCEINLINE_FUNCTION static State empty() { return {0, 0}; }
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add(State* to, const Column& column, std::uint64_t i) {
    How::add(&to->sum, static_cast<double>(column(i)));
  }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION static void merge(State* to, const State& from) {
    How::add(&to->sum, from.sum);
  }
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add_again(State* to, const State& known,
                                                    std::uint64_t count, const Column& column,
                                                    std::uint64_t i) {
    const double distance = static_cast<double>(column(i)) - known.sum / static_cast<double>(count);
    How::add(&to->squares, distance * distance);
  }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION static void merge_again(State* to, const State& from) {
    How::add(&to->squares, from.squares);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t count) const {
    return count <= lost_degrees;
  }
  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION double result(const State& state, std::uint64_t count,
                                            const Column&) const {
    return state.squares / static_cast<double>(count - lost_degrees);
  }
};

}  // namespace hashmill::detail
