#pragma once

#include <hashmill/column.hpp>
#include <hashmill/group_by/detail/fold_list.hpp>

namespace hashmill::detail {

// Values of several columns, which records carry to the teams of GPUs. A column that two
// aggregations read is carried twice.

/// Whether records can carry the values of a column: these lie side by side.
template <class Column>
inline constexpr bool can_be_carried = false;
template <class Value, class MemorySpace>
inline constexpr bool can_be_carried<ValueColumn<Value, MemorySpace, false>> = true;

/// The values of a row, one per aggregation that reads a column. They are `complete` if records can
/// carry all of them: no column has nulls.
template <class Folds, class... Values>
struct RowValues {
  static constexpr bool complete = false;
};
template <class... Values>
struct RowValues<FoldList<>, Values...> {
  static constexpr bool complete = sizeof...(Values) != 0;
  using type = Accumulators<Values...>;
};
template <class First, class... Rest, class... Values>
  requires std::is_same_v<typename First::Column, EveryRow>
struct RowValues<FoldList<First, Rest...>, Values...> : RowValues<FoldList<Rest...>, Values...> {
};
template <class First, class... Rest, class... Values>
  requires(can_be_carried<typename First::Column> && !First::nullable)
struct RowValues<FoldList<First, Rest...>, Values...>
    : RowValues<FoldList<Rest...>, Values..., typename First::Column::value_type> {};

/// Reads the values of row i.
template <class Folds, class Values>
KOKKOS_FORCEINLINE_FUNCTION void read_values(const Folds& folds, std::uint64_t i, Values* values) {
  if constexpr (!Folds::first_reads) {
    read_values(folds.rest, i, values);
  } else {
    values->first = folds.first.column()(i);
    if constexpr (decltype(folds.rest)::num_reads != 0) read_values(folds.rest, i, &values->rest);
  }
}

/// Adds row i, whose values were read, to a group; one pass.
template <class How, class Folds, class Group, class Values>
KOKKOS_FORCEINLINE_FUNCTION void add_values(const Folds& folds, Group* group, std::uint64_t i,
                                            const Values& values) {
  if constexpr (Folds::num_reads == 0) {
    folds.template add<How, false>(group, group, i);
  } else if constexpr (!Folds::first_reads) {
    folds.first.template add<How>(&group->first, i);
    add_values<How>(folds.rest, &group->rest, i, values);
  } else {
    folds.first.template add_value<How>(&group->first, i, values.first);
    if constexpr (decltype(folds.rest)::num_reads != 0) {
      add_values<How>(folds.rest, &group->rest, i, values.rest);
    } else if constexpr (Folds::has_rest) {
      add_values<How>(folds.rest, &group->rest, i, values);
    }
  }
}

}  // namespace hashmill::detail
