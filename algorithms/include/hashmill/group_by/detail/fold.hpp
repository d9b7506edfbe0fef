#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/primitives/detail/prefetch_elements.hpp>

namespace hashmill::detail {

/// Changes an accumulator that no other thread uses. `lower` stores the minimum.
struct Alone {
  static constexpr bool is_alone = true;
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION static void add(Number* to, Number number) {
    *to += number;
  }
  /// Adds, and returns the value before.
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION static Number fetch_add(Number* to, Number number) {
    const Number before = *to;
    *to = before + number;
    return before;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void lower(std::uint64_t* to, std::uint64_t bits) {
    if (bits < *to) *to = bits;
  }
};

/// The same on hosts, with separate instructions for each accumulator. GCC would otherwise combine
/// neighbouring accumulators in one register. The next row of the group then waits several times as
/// long for its parts.
struct AloneOnHost {
  static constexpr bool is_alone = true;
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION static void add(Number* to, Number number) {
    *to += number;
    apart(to);
  }
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION static Number fetch_add(Number* to, Number number) {
    const Number before = *to;
    *to = before + number;
    apart(to);
    return before;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void lower(std::uint64_t* to, std::uint64_t bits) {
    *to = bits < *to ? bits : *to;
    apart(to);
  }

 private:
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION static void apart([[maybe_unused]] Number* to) {
#if defined(__GNUC__)
    KOKKOS_IF_ON_HOST((asm("" : "+m"(*to));))
#endif
  }
};

/// Changes an accumulator that other threads change at the same time: atomically.
struct Shared {
  static constexpr bool is_alone = false;
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION static void add(Number* to, Number number) {
    Kokkos::atomic_add(to, number);
  }
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION static Number fetch_add(Number* to, Number number) {
    return Kokkos::atomic_fetch_add(to, number);
  }
  KOKKOS_FORCEINLINE_FUNCTION static void lower(std::uint64_t* to, std::uint64_t bits) {
    Kokkos::atomic_min(to, bits);
  }
};

/// Changes an accumulator in a team's scratch, which the threads of the team change at the same
/// time.
template <class Exec>
struct SharedInScratch : Shared {
  using Shared::add;
  KOKKOS_FORCEINLINE_FUNCTION static void add(std::uint64_t* to, std::uint64_t number) {
    backends::team_add<Exec>(to, number);
  }
};

/// The column of aggregations that read no values: every row counts.
struct EveryRow {
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t) const { return false; }
};

/// A value that was already read, in place of its column.
template <class Value>
struct ValueAtHand {
  Value value;
  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint64_t) const { return value; }
};

/// What a group has accumulated: the state of the operation and, if `Counts`, the number of values.
template <class State, bool Counts>
struct Accumulated {
  State state;
  std::uint64_t count;
};
template <class State>
struct Accumulated<State, false> {
  State state;
};

/// An aggregation: an operation over the values of a column that are not null.
///
///     member of `Op`           what it does
///     State, empty()           what a group accumulates, and its initial value
///     add, merge               add a row's value, or another accumulator; through Alone,
///                              AloneOnHost or Shared
///     result, is_null          the result of a group; whether it is null, by the number of values
///     settle                   if `two_passes`: prepares the state for the second pass
///     add_again, merge_again   if `two_passes`: add and merge in the second pass over all rows
template <class Op, class Source, bool Nullable>
class Fold {
 public:
  static constexpr bool counts = Op::needs_count || (Nullable && Op::can_be_null);
  static constexpr bool can_be_null = counts && Op::can_be_null;
  static constexpr bool two_passes = Op::two_passes;
  static constexpr bool nullable = Nullable;
  using Column = Source;
  using Accumulator = Accumulated<typename Op::State, counts>;
  using result_type = typename Op::result_type;

  explicit Fold(const Column& column, const Op& op = {}) : column_(column), op_(op) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Column& column() const { return column_; }
  [[nodiscard]] const Op& op() const { return op_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Accumulator empty() const {
    Accumulator none{};
    none.state = Op::empty();
    return none;
  }

  /// Prefetches the value of row i, if the column has addresses; hosts only.
  void prefetch(std::uint64_t i) const {
    if constexpr (HasAddress<Column>) backends::prefetch(column_.address(i));
  }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION void add(Accumulator* to, std::uint64_t i) const {
    if constexpr (Nullable) {
      if (column_.is_null(i)) return;
    }
    Op::template add<How>(&to->state, column_, i);
    if constexpr (counts) How::add(&to->count, std::uint64_t{1});
  }
  /// Adds row i, whose value was already read and is not null.
  template <class How, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void add_value(Accumulator* to, std::uint64_t i,
                                             const Value& value) const {
    Op::template add<How>(&to->state, ValueAtHand<Value>{value}, i);
    if constexpr (counts) How::add(&to->count, std::uint64_t{1});
  }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION void merge(Accumulator* to, const Accumulator& from) const {
    if constexpr (counts) {
      if (from.count == 0) return;
      How::add(&to->count, from.count);
    }
    Op::template merge<How>(&to->state, from.state);
  }

  KOKKOS_FORCEINLINE_FUNCTION void settle(Accumulator* group) const {
    Op::settle(&group->state, group->count);
  }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION void add_again(Accumulator* to, const Accumulator& known,
                                             std::uint64_t i) const {
    if constexpr (Nullable) {
      if (column_.is_null(i)) return;
    }
    Op::template add_again<How>(&to->state, known.state, column_, i);
  }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION void merge_again(Accumulator* to, const Accumulator& from) const {
    Op::template merge_again<How>(&to->state, from.state);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(const Accumulator& from) const {
    if constexpr (can_be_null) return op_.is_null(from.count);
    return false;
  }
  /// The result of a group; zero if it is null.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION result_type result(const Accumulator& from) const {
    if (is_null(from)) return result_type{};
    if constexpr (counts) {
      return op_.result(from.state, from.count, column_);
    } else {
      return op_.result(from.state, 1, column_);
    }
  }

 private:
  Column column_;
  Op op_;
};

}  // namespace hashmill::detail
