#pragma once

#include <hashmill/group_by/detail/aggregate_results.hpp>
#include <hashmill/group_by/detail/batches/kept_folds.hpp>

namespace hashmill::detail {

// Partial states as the rows of a batch: what kept folds hold of groups of other batches, perhaps
// of another rank. Each aggregation becomes a fold that adds a state where others add a value. So
// states are grouped and merged by the code that groups and aggregates rows.

/// What such folds have in common. `BatchFold` is the aggregation, whose column is never read.
/// `states(i)` is row i's state.
template <class BatchFold, class States>
class StateFoldBase {
 public:
  using Column = EveryRow;  // states are read in place
  using Accumulator = typename BatchFold::Accumulator;
  using result_type = typename BatchFold::result_type;
  static constexpr bool can_be_null = BatchFold::can_be_null;
  static constexpr bool nullable = false;
  static constexpr bool two_passes = false;

  StateFoldBase(const BatchFold& fold, const States& states) : fold(fold), states(states) {}

  [[nodiscard]] Column column() const { return {}; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Accumulator empty() const { return fold.empty(); }
  /// Prefetches the state of row i; hosts only.
  void prefetch(std::uint64_t i) const { backends::prefetch(&states(i)); }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION void merge(Accumulator* to, const Accumulator& from) const {
    fold.template merge<How>(to, from);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(const Accumulator& from) const {
    return fold.is_null(from);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION result_type result(const Accumulator& from) const {
    return fold.result(from);
  }

 protected:
  BatchFold fold;
  States states;
};

/// Operations whose states can be merged in any order.
template <class BatchFold, class States>
class StateFold : public StateFoldBase<BatchFold, States> {
 public:
  using Accumulator = typename BatchFold::Accumulator;
  using StateFoldBase<BatchFold, States>::StateFoldBase;

  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION void add(Accumulator* to, std::uint64_t i) const {
    this->template merge<How>(to, this->states(i));
  }
};

/// The variance of floating-point numbers, of states that each have a mean and the sum of squares
/// about it. The first pass adds means, each times its count. The second adds the squares, and the
/// squared distance of each mean from that of all, again times its count. States are added in any
/// order, which the formulae of KeptFold do not allow.
template <class Value, class Source, bool Nullable, class States>
  requires is_floating<Value>
class StateFold<Fold<VarianceOp<Value>, Source, Nullable>, States>
    : public StateFoldBase<Fold<VarianceOp<Value>, Source, Nullable>, States> {
  using Base = StateFoldBase<Fold<VarianceOp<Value>, Source, Nullable>, States>;

 public:
  using Accumulator = typename Base::Accumulator;
  static constexpr bool two_passes = true;
  using Base::Base;

  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION void add(Accumulator* to, std::uint64_t i) const {
    const Accumulator& from = this->states(i);
    if (from.count == 0) return;
    add_exactly<How>(&to->state.mean, product(from.state.mean, as_pair(from.count)));
    How::add(&to->count, from.count);
  }
  KOKKOS_FORCEINLINE_FUNCTION void settle(Accumulator* group) const { this->fold.settle(group); }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION void add_again(Accumulator* to, const Accumulator& known,
                                             std::uint64_t i) const {
    const Accumulator& from = this->states(i);
    if (from.count == 0) return;
    NumberPair distance = from.state.mean;
    add_exactly<Alone>(&distance, {-known.state.mean.high, -known.state.mean.low});
    const double apart = distance.nearest();
    add_exactly<How>(&to->state.squares, from.state.squares);
    add_exactly<How>(&to->state.squares, apart * apart * static_cast<double>(from.count));
  }
  template <class How>
  KOKKOS_FORCEINLINE_FUNCTION void merge_again(Accumulator* to, const Accumulator& from) const {
    this->fold.template merge_again<How>(to, from);
  }
};

/// The values of `agg::first` that states hold, null where a state has none. The first of these, by
/// row, is the first of all.
template <class Value, class States>
struct FirstValues {
  using value_type = Value;
  States states;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    return states(i).count == 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint64_t i) const { return states(i).value; }
};

/// `agg::first` of states: the result can be null only where that of the aggregation can.
template <class Value, class States, bool Nullable>
struct FirstStateFold : Fold<FirstOp<Value>, FirstValues<Value, States>, true> {
  using Fold<FirstOp<Value>, FirstValues<Value, States>, true>::Fold;
  static constexpr bool can_be_null = Nullable;
};

/// The fold that adds the states of an aggregation, which are at `states`.
template <class BatchFold, class States>
[[nodiscard]] auto fold_of_states(const BatchFold& fold, const States& states) {
  return StateFold<BatchFold, States>(fold, states);
}
template <class Value, class Source, bool Nullable, class States>
[[nodiscard]] auto fold_of_states(const Fold<FirstOp<Value>, Source, Nullable>&,
                                  const States& states) {
  return FirstStateFold<Value, States, Nullable>(FirstValues<Value, States>{states});
}

/// The folds that add the states of all aggregations. `place(i)` is row i's state.
template <class Place>
[[nodiscard]] FoldList<> folds_of_states(const FoldList<>&, const Place&) {
  return {};
}
template <class First, class... Rest, class Place>
[[nodiscard]] auto folds_of_states(const FoldList<KeptFold<First>, KeptFold<Rest>...>& kept,
                                   const Place& place) {
  return prepend(fold_of_states(kept.first.fold, FirstOfGroup<Place>{place}),
                 folds_of_states(kept.rest, RestOfGroup<Place>{place}));
}

}  // namespace hashmill::detail
