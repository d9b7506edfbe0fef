#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/primitives/detail/prefetch_elements.hpp>

namespace hashmill::detail {

/// Changes an accumulator that no other thread uses.
struct Alone {
  static constexpr bool is_alone = true;
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION static void add(Number* to, Number number) {
    *to += number;
  }
  /// Adds, and gives what was there.
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

/// Changes an accumulator that no other thread uses, by instructions of its own: GCC would put
/// neighbouring accumulators into one register, whose parts the next row of the group waits for
/// several times as long.
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

/// Changes an accumulator that others change at the same time.
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

/// The rows themselves as a column, where their values do not matter.
struct EveryRow {
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t) const { return false; }
};

/// The value of a row, in place of the column that it is from.
template <class Value>
struct ValueAtHand {
  Value value;
  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint64_t) const { return value; }
};

/// What a group has accumulated: some words, and how many values where that is asked for.
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
/// `Op` tells what a group accumulates (`State`, from `empty()`), how a row's value is added to it
/// (`add`) and how another accumulator (`merge`), both through Alone or Shared, and what comes of
/// it (`result`, and `is_null` by the number of values). One with `two_passes` settles what the
/// first has found (`settle`) and sees all rows a second time (`add_again`, `merge_again`).
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

  [[nodiscard]] const Column& column() const { return column_; }
  [[nodiscard]] const Op& op() const { return op_; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Accumulator empty() const {
    Accumulator none{};
    none.state = Op::empty();
    return none;
  }

  /// Asks for the value of row i, where that is in one place; hosts only.
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
  /// Adds row i, whose value is at hand and not null; hosts only.
  template <class Value>
  void add_value(Accumulator* to, std::uint64_t i, const Value& value) const {
    Op::template add<AloneOnHost>(&to->state, ValueAtHand<Value>{value}, i);
    if constexpr (counts) AloneOnHost::add(&to->count, std::uint64_t{1});
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
  /// The result of a group; where that is null, zero.
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
