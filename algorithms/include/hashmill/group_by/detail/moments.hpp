#pragma once

#include <hashmill/group_by/detail/fold.hpp>
#include <hashmill/group_by/detail/fold_operations.hpp>
#include <hashmill/group_by/detail/number_pairs.hpp>

namespace hashmill::detail {

// The mean and the variance. Sums of integers are exact, so that no order of rows, teams or batches
// changes a result. Sums of floating-point numbers keep what they round off.

template <class Value>
inline constexpr bool is_floating = std::is_same_v<typename WidestOfKind<Value>::type, double>;
template <class Value>
inline constexpr bool is_signed = std::is_same_v<typename WidestOfKind<Value>::type, std::int64_t>;

/// An integer, sign-extended to two words.
template <class Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION WordSum<2> two_words(Value value) {
  const auto word = static_cast<std::uint64_t>(value);
  return {{word, is_signed<Value> && (word & top_bit) != 0 ? ~std::uint64_t{0} : 0}};
}
/// Whether a sum of integers of this type is below zero.
template <class Value>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_negative(const WordSum<2>& sum) {
  return is_signed<Value> && (sum.words[1] & top_bit) != 0;
}

/// The mean, from a sum and a count. The sum is two words for integers, and two doubles otherwise.
template <class Value>
struct MeanOp : OnePass {
  using State = std::conditional_t<is_floating<Value>, NumberPair, WordSum<2>>;
  using result_type = double;
  static constexpr bool needs_count = true;

  KOKKOS_FORCEINLINE_FUNCTION static State empty() { return {}; }
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add(State* to, const Column& column, std::uint64_t i) {
    if constexpr (is_floating<Value>) {
      add_exactly<How>(to, static_cast<double>(column(i)));
    } else {
      add_exactly<How>(to, two_words<Value>(column(i)));
    }
  }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION static void merge(State* to, const State& from) {
    add_exactly<How>(to, from);
  }
  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION static double result(const State& sum, std::uint64_t count,
                                                   const Column&) {
    if constexpr (is_floating<Value>) {
      return divide(sum, as_pair(count)).nearest();
    } else if (is_negative<Value>(sum)) {
      return -divide(as_pair(negated(sum)), as_pair(count)).nearest();
    } else {
      return divide(as_pair(sum), as_pair(count)).nearest();
    }
  }
};

/// Base of variances: the degrees of freedom that they lose.
struct LostDegrees {
  using result_type = double;
  static constexpr bool needs_count = true;
  static constexpr bool can_be_null = true;
  std::uint64_t lost_degrees = 1;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t count) const {
    return count <= lost_degrees;
  }
};

/// The variance of integers, from exact sums of the values and of their squares; one pass.
template <class Value>
struct VarianceOp : LostDegrees {
  struct State {
    WordSum<2> sum;
    WordSum<sizeof(Value) <= 4 ? 2 : 3> squares;
  };
  static constexpr bool two_passes = false;

  KOKKOS_FORCEINLINE_FUNCTION static State empty() { return {}; }
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add(State* to, const Column& column, std::uint64_t i) {
    const Value value = column(i);
    const WordSum<2> words = two_words<Value>(value);
    const std::uint64_t size = words.words[1] == 0 ? words.words[0] : 0 - words.words[0];
    add_exactly<How>(&to->sum, words);
    if constexpr (sizeof(Value) <= 4) {
      add_exactly<How>(&to->squares, {{size * size, 0}});
    } else {
      const WordSum<2> square = product(size, size);
      add_exactly<How>(&to->squares, {{square.words[0], square.words[1], 0}});
    }
  }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION static void merge(State* to, const State& from) {
    add_exactly<How>(&to->sum, from.sum);
    add_exactly<How>(&to->squares, from.squares);
  }
  /// (n * squares - sum²) / n / (n - lost); the difference is exact too.
  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION double result(const State& state, std::uint64_t count,
                                            const Column&) const {
    const WordSum<2> sum = is_negative<Value>(state.sum) ? negated(state.sum) : state.sum;
    WordSum<4> spread = negated(product(sum, sum));
    const auto squares = product(state.squares, WordSum<1>{{count}});
    WordSum<4> all{};
    for (unsigned w = 0; w < sizeof(squares) / sizeof(std::uint64_t); ++w) {
      all.words[w] = squares.words[w];
    }
    add_exactly<Alone>(&spread, all);
    return divide(divide(as_pair(spread), as_pair(count)), as_pair(count - lost_degrees)).nearest();
  }
};

/// The variance of floating-point numbers, in two passes: first the mean, then the squares of the
/// distances from it. Both sums are kept to more bits than the numbers have.
template <class Value>
  requires is_floating<Value>
struct VarianceOp<Value> : LostDegrees {
  struct State {
    NumberPair mean;  // their sum until it is settled
    NumberPair squares;
  };
  static constexpr bool two_passes = true;

  KOKKOS_FORCEINLINE_FUNCTION static State empty() { return {}; }
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add(State* to, const Column& column, std::uint64_t i) {
    add_exactly<How>(&to->mean, static_cast<double>(column(i)));
  }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION static void merge(State* to, const State& from) {
    add_exactly<How>(&to->mean, from.mean);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void settle(State* state, std::uint64_t count) {
    state->mean = divide(state->mean, as_pair(count));
  }
  template <class How, class Column>
  KOKKOS_FORCEINLINE_FUNCTION static void add_again(State* to, const State& known,
                                                    const Column& column, std::uint64_t i) {
    const double distance =
        as_rounded(static_cast<double>(column(i)) - known.mean.high) - known.mean.low;
    add_exactly<How>(&to->squares, distance * distance);
  }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION static void merge_again(State* to, const State& from) {
    add_exactly<How>(&to->squares, from.squares);
  }
  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION double result(const State& state, std::uint64_t count,
                                            const Column&) const {
    return state.squares.nearest() / static_cast<double>(count - lost_degrees);
  }
};

}  // namespace hashmill::detail
