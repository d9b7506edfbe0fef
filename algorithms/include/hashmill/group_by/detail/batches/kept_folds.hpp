#pragma once

#include <hashmill/group_by/detail/fold_list.hpp>
#include <hashmill/group_by/detail/fold_operations.hpp>
#include <hashmill/group_by/detail/moments.hpp>

namespace hashmill::detail {

// What a group's row keeps of an aggregation while batches come and go. A batch is aggregated like
// any other rows. A kept fold then merges the accumulators of its groups. In place of row numbers,
// which mean nothing once the batch is gone, it keeps values.

/// Operations whose accumulators hold everything: these are kept as they are. `BatchFold` is the
/// fold of a batch of the types that the aggregation was made with. Its column is never read.
template <class BatchFold>
struct KeptFold {
  using Accumulator = typename BatchFold::Accumulator;
  using result_type = typename BatchFold::result_type;
  using Column = EveryRow;  // none is read
  static constexpr bool can_be_null = BatchFold::can_be_null;
  static constexpr bool two_passes = false;
  BatchFold fold;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Accumulator empty() const { return fold.empty(); }
  template <class Rebound>
  KOKKOS_FORCEINLINE_FUNCTION void merge(Accumulator* to, const Rebound&,
                                         const Accumulator& from) const {
    fold.template merge<Alone>(to, from);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(const Accumulator& from) const {
    return fold.is_null(from);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION result_type result(const Accumulator& from) const {
    return fold.result(from);
  }
};

/// `agg::first`: keeps the value itself, from the first batch that has one.
template <class Value, class Source, bool Nullable>
struct KeptFold<Fold<FirstOp<Value>, Source, Nullable>> {
  struct Accumulator {
    Value value;
    std::uint64_t count;
  };
  using result_type = Value;
  using Column = EveryRow;  // none is read
  static constexpr bool can_be_null = Nullable;
  static constexpr bool two_passes = false;
  Fold<FirstOp<Value>, Source, Nullable> fold;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Accumulator empty() const { return {Value{}, 0}; }
  template <class Rebound>
  KOKKOS_FORCEINLINE_FUNCTION void merge(Accumulator* to, const Rebound& batch,
                                         const typename Rebound::Accumulator& from) const {
    if (to->count != 0 || batch.is_null(from)) return;
    to->value = batch.result(from);
    to->count = 1;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(const Accumulator& from) const {
    return Nullable && from.count == 0;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Value result(const Accumulator& from) const {
    return from.value;
  }
};

/// The variance of floating-point numbers. After its two passes a batch has the mean of its own
/// rows and the sum of the squares of their distances from it.
///
/// Both are merged by the formulae of Chan, Golub and LeVeque, "Updating Formulae and a Pairwise
/// Algorithm for Computing Sample Variances" (1979). They subtract no large sums from each other,
/// as sums of squares about 0 or about the first value would need.
template <class Value, class Source, bool Nullable>
  requires is_floating<Value>
struct KeptFold<Fold<VarianceOp<Value>, Source, Nullable>> {
  using BatchFold = Fold<VarianceOp<Value>, Source, Nullable>;
  using Accumulator = typename BatchFold::Accumulator;
  using result_type = double;
  using Column = EveryRow;  // none is read
  static constexpr bool can_be_null = true;
  static constexpr bool two_passes = false;
  BatchFold fold;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Accumulator empty() const { return fold.empty(); }
  template <class Rebound>
  KOKKOS_FORCEINLINE_FUNCTION void merge(Accumulator* to, const Rebound&,
                                         const Accumulator& from) const {
    if (from.count == 0) return;
    if (to->count == 0) {
      *to = from;
      return;
    }
    const auto kept = static_cast<double>(to->count), added = static_cast<double>(from.count);
    NumberPair distance = from.state.mean;
    add_exactly<Alone>(&distance, {-to->state.mean.high, -to->state.mean.low});
    const double apart = distance.nearest(), share = added / (kept + added);
    add_exactly<Alone>(&to->state.mean, apart * share);
    add_exactly<Alone>(&to->state.squares, from.state.squares);
    add_exactly<Alone>(&to->state.squares, apart * apart * (kept * share));
    to->count += from.count;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(const Accumulator& from) const {
    return fold.is_null(from);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double result(const Accumulator& from) const {
    return fold.result(from);
  }
};

/// Merges the accumulators of a batch's group into what the kept folds hold.
template <class Kept, class Folds, class Group, class BatchGroup>
KOKKOS_FORCEINLINE_FUNCTION void merge_group(const Kept& kept, Group* to, const Folds& folds,
                                             const BatchGroup& from) {
  kept.first.merge(&to->first, folds.first, from.first);
  if constexpr (Kept::has_rest) merge_group(kept.rest, &to->rest, folds.rest, from.rest);
}

/// Whether a row can keep what an aggregation accumulates. It cannot keep the first of strings,
/// whose bytes lie in the batch.
template <class Aggregation>
inline constexpr bool fits_rows = true;
template <class Column, bool Nullable>
inline constexpr bool fits_rows<Fold<FirstOp<StringView>, Column, Nullable>> = false;

/// The aggregation of a batch, with the types of the aggregation that was given first.
template <class First, class Batch>
struct Rebind;
template <class FirstOp, class FirstColumn, bool FirstNullable, class Op, class Column,
          bool Nullable>
struct Rebind<Fold<FirstOp, FirstColumn, FirstNullable>, Fold<Op, Column, Nullable>> {
  static_assert(
      std::is_same_v<FirstOp, Op>,
      "hashmill::HashAggregation: the same aggregations of the same types for each batch");
  static_assert(FirstNullable || !Nullable,
                "hashmill::HashAggregation: a column with nulls where the first had none: give "
                "columns, not views, from the beginning");
  using type = Fold<Op, Column, FirstNullable>;
};
/// Throws InvalidArgument for a variance that loses other degrees of freedom than the one that was
/// given first.
template <class First, class Other>
void require_same_settings(const First& first, const Other& other) {
  if constexpr (requires { first.op().lost_degrees; }) {
    if (first.op().lost_degrees != other.op().lost_degrees) {
      throw InvalidArgument("HashAggregation: a variance that loses " +
                            std::to_string(other.op().lost_degrees) +
                            " degrees of freedom for one that was made to lose " +
                            std::to_string(first.op().lost_degrees));
    }
  }
}
/// As above, for each of the kept folds of two aggregations.
inline void require_same_settings(const FoldList<>&, const FoldList<>&) {}
template <class First, class... Rest>
void require_same_settings(const FoldList<KeptFold<First>, KeptFold<Rest>...>& kept,
                           const FoldList<KeptFold<First>, KeptFold<Rest>...>& other) {
  require_same_settings(kept.first.fold, other.first.fold);
  require_same_settings(kept.rest, other.rest);
}
/// Makes such an aggregation. Throws as `require_same_settings`.
template <class First, class Batch>
[[nodiscard]] auto rebind(const First& first, const Batch& batch) {
  require_same_settings(first, batch);
  return typename Rebind<First, Batch>::type(batch.column(), batch.op());
}

template <class First, class... Rest>
[[nodiscard]] FoldList<First, Rest...> prepend(const First& first, const FoldList<Rest...>& rest) {
  return {first, rest};
}
/// The aggregations of a batch, in the order of the kept ones.
inline FoldList<> rebind_all(const FoldList<>&) { return {}; }
template <class First, class... Rest, class Batch, class... Batches>
[[nodiscard]] auto rebind_all(const FoldList<KeptFold<First>, KeptFold<Rest>...>& kept,
                              const Batch& batch, const Batches&... batches) {
  return prepend(rebind(kept.first.fold, batch), rebind_all(kept.rest, batches...));
}

}  // namespace hashmill::detail
