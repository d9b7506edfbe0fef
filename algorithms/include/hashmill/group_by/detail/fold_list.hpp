#pragma once

#include <hashmill/group_by/detail/fold.hpp>

namespace hashmill::detail {

/// The accumulators of one group, side by side, so that a row finds all of them in one place. Folds
/// whose accumulators have the same types have groups of the same type.
template <class... Parts>
struct Accumulators;
template <class Last>
struct Accumulators<Last> {
  Last first;
};
template <class First, class Second, class... More>
struct Accumulators<First, Second, More...> {
  First first;
  Accumulators<Second, More...> rest;
};

/// Several aggregations, applied together.
template <class... Folds>
struct FoldList;

template <>
struct FoldList<> {
  static constexpr bool two_passes = false;
  static constexpr unsigned num_reads = 0;
  using Column = EveryRow;
  template <class Column>
  static constexpr bool reads_only = true;
  void prefetch(std::uint64_t) const {}
  void prefetch_ahead(std::uint64_t, std::uint64_t) const {}
  template <class Value>
  [[nodiscard]] bool reads(const Value*) const {
    return true;
  }
};

template <class First, class... Rest>
struct FoldList<First, Rest...> {
  using Group = Accumulators<typename First::Accumulator, typename Rest::Accumulator...>;
  static constexpr bool has_rest = sizeof...(Rest) != 0;
  static constexpr bool two_passes = First::two_passes || FoldList<Rest...>::two_passes;
  static constexpr bool first_reads = !std::is_same_v<typename First::Column, EveryRow>;
  /// The number of aggregations that read a column.
  static constexpr unsigned num_reads = (first_reads ? 1 : 0) + FoldList<Rest...>::num_reads;
  /// The type of the first column that is read; EveryRow if none is.
  using Column =
      std::conditional_t<first_reads, typename First::Column, typename FoldList<Rest...>::Column>;
  /// Whether all columns that are read are of type `Kind`, have no nulls, and have addresses.
  template <class Kind>
  static constexpr bool reads_only = (!first_reads ||
                                      (std::is_same_v<typename First::Column, Kind> &&
                                       !First::nullable && HasAddress<Kind>)) &&
                                     FoldList<Rest...>::template reads_only<Kind>;
  First first;
  FoldList<Rest...> rest;

  /// The first column that is read.
  [[nodiscard]] const Column& column() const {
    if constexpr (first_reads) {
      return first.column();
    } else {
      return rest.column();
    }
  }
  /// Whether all columns that are read begin at address `values`.
  template <class Value>
  [[nodiscard]] bool reads(const Value* values) const {
    if constexpr (first_reads) {
      if (first.column().address(0) != values) return false;
    }
    return rest.reads(values);
  }

  KOKKOS_FORCEINLINE_FUNCTION void clear(Group* group) const {
    group->first = first.empty();
    if constexpr (has_rest) rest.clear(&group->rest);
  }
  /// Prefetches the values of row i; hosts only.
  void prefetch(std::uint64_t i) const {
    first.prefetch(i);
    rest.prefetch(i);
  }
  /// Called by a loop at rows [i, i + count): prefetches the values of rows some batches later.
  void prefetch_ahead(std::uint64_t i, std::uint64_t count) const {
    prefetch_elements(first.column(), i, count);
    rest.prefetch_ahead(i, count);
  }
  /// Prepares the result of the first pass for the second.
  KOKKOS_FORCEINLINE_FUNCTION void settle(Group* group) const {
    if constexpr (First::two_passes) first.settle(&group->first);
    if constexpr (has_rest) rest.settle(&group->rest);
  }
  /// Adds row i. In the second pass (`Again`), `known` is the result of the first.
  template <class How, bool Again>
  KOKKOS_FORCEINLINE_FUNCTION void add(Group* group, const Group* known, std::uint64_t i) const {
    if constexpr (!Again) {
      first.template add<How>(&group->first, i);
    } else if constexpr (First::two_passes) {
      first.template add_again<How>(&group->first, known->first, i);
    }
    if constexpr (has_rest) rest.template add<How, Again>(&group->rest, &known->rest, i);
  }
  /// Adds row i, where all aggregations read one column and its value is `value`; one pass.
  template <class How, class Value>
  KOKKOS_FORCEINLINE_FUNCTION void add_value(Group* group, std::uint64_t i,
                                             const Value& value) const {
    first.template add_value<How>(&group->first, i, value);
    if constexpr (has_rest) rest.template add_value<How>(&group->rest, i, value);
  }
  template <class How, bool Again>
  KOKKOS_FORCEINLINE_FUNCTION void merge(Group* group, const Group& from) const {
    if constexpr (!Again) {
      first.template merge<How>(&group->first, from.first);
    } else if constexpr (First::two_passes) {
      first.template merge_again<How>(&group->first, from.first);
    }
    if constexpr (has_rest) rest.template merge<How, Again>(&group->rest, from.rest);
  }
};

template <class Aggregation>
inline constexpr bool is_fold = false;
template <class Op, class Source, bool Nullable>
inline constexpr bool is_fold<Fold<Op, Source, Nullable>> = true;
template <class... Aggregations>
inline constexpr bool are_aggregations = sizeof...(Aggregations) != 0 &&
                                         (is_fold<Aggregations> && ...);

/// Requires, at compile time, at least one aggregation, and that functions of `agg::` made them
/// all.
template <class... Aggregations>
constexpr void require_aggregations() {
  static_assert(are_aggregations<Aggregations...>,
                "hashmill: one aggregation at least, each what a function of hashmill::agg gives");
}

inline FoldList<> list_folds() { return {}; }
template <class First, class... Rest>
FoldList<First, Rest...> list_folds(const First& first, const Rest&... rest) {
  return {first, list_folds(rest...)};
}

}  // namespace hashmill::detail
