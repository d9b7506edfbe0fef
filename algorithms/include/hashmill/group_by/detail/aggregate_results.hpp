#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/group_by/detail/accumulate.hpp>
#include <hashmill/owned_column.hpp>
#include <tuple>

namespace hashmill::detail {

/// Throws InvalidArgument if the column of an aggregation does not have `rows` rows.
template <class Aggregation>
void check_rows_of(const Aggregation& aggregation, std::uint64_t rows) {
  if constexpr (!std::is_same_v<typename Aggregation::Column, EveryRow>) {
    same_length("aggregate", "rows", rows, "values in a column", aggregation.column());
  }
}

/// Writes the result of one aggregation that is never null, for one group.
template <class Fold, class Place>
struct WriteResult {
  Fold fold;
  Place accumulators;
  typename Fold::result_type* values;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto g = static_cast<std::uint64_t>(index);
    values[g] = fold.result(accumulators(g));
  }
};

/// Writes the results of one aggregation for 8 groups, and the byte of the bitmap that says which
/// of them are valid.
template <class Fold, class Place>
struct WriteResults {
  Fold fold;
  Place accumulators;
  std::uint64_t num_groups;
  typename Fold::result_type* values;
  std::uint8_t* valid_bits;
  KOKKOS_FUNCTION void operator()(std::int64_t byte) const {
    const std::uint64_t begin = static_cast<std::uint64_t>(byte) * 8;
    const std::uint64_t end = begin + 8 < num_groups ? begin + 8 : num_groups;
    unsigned bits = 0;
    for (std::uint64_t g = begin; g < end; ++g) {
      const auto& accumulator = accumulators(g);
      values[g] = fold.result(accumulator);
      if (!fold.is_null(accumulator)) bits |= 1U << (g - begin);
    }
    valid_bits[byte] = static_cast<std::uint8_t>(bits);
  }
};

/// The place of a group's accumulators: all of them, the first one, and all but the first.
template <class Group>
struct WholeGroup {
  const Group* groups;
  KOKKOS_FORCEINLINE_FUNCTION const Group& operator()(std::uint64_t g) const { return groups[g]; }
};
template <class Place>
struct FirstOfGroup {
  Place place;
  KOKKOS_FORCEINLINE_FUNCTION const auto& operator()(std::uint64_t g) const {
    return place(g).first;
  }
};
template <class Place>
struct RestOfGroup {
  Place place;
  KOKKOS_FORCEINLINE_FUNCTION const auto& operator()(std::uint64_t g) const {
    return place(g).rest;
  }
};

/// The results of one aggregation; asynchronous.
template <class MemorySpace, class Exec, class Fold, class Place>
auto collect_one(const Exec& exec, const Fold& fold, const Place& place, std::uint64_t num_groups) {
  OwnedColumn<typename Fold::result_type, MemorySpace> column;
  column.values =
      backends::allocate<decltype(column.values)>(exec, "hashmill::aggregate::values", num_groups);
  constexpr const char* label = "hashmill::aggregate::results";
  if constexpr (Fold::can_be_null) {
    const std::uint64_t bytes = (num_groups + 7) / 8;
    column.valid_bits = backends::allocate<decltype(column.valid_bits)>(
        exec, "hashmill::aggregate::valid_bits", bytes);
    backends::for_each_index(
        label, exec, bytes,
        WriteResults<Fold, Place>{fold, place, num_groups, column.values.data(),
                                  column.valid_bits.data()});
  } else {
    backends::for_each_index(label, exec, num_groups,
                             WriteResult<Fold, Place>{fold, place, column.values.data()});
  }
  return column;
}

/// The results of all aggregations, whose accumulators are at `place`; asynchronous.
template <class MemorySpace, class Exec, class Place>
std::tuple<> collect_from(const Exec&, const FoldList<>&, const Place&, std::uint64_t) {
  return {};
}
template <class MemorySpace, class Exec, class First, class... Rest, class Place>
auto collect_from(const Exec& exec, const FoldList<First, Rest...>& folds, const Place& place,
                  std::uint64_t num_groups) {
  return std::tuple_cat(
      std::tuple(
          collect_one<MemorySpace>(exec, folds.first, FirstOfGroup<Place>{place}, num_groups)),
      collect_from<MemorySpace>(exec, folds.rest, RestOfGroup<Place>{place}, num_groups));
}

/// The results of all aggregations, as a tuple of OwnedColumn; asynchronous.
template <class MemorySpace, class Exec, class Folds, class Groups>
auto collect(const Exec& exec, const Folds& folds, const Groups& groups) {
  using Group = typename Folds::Group;
  return collect_from<MemorySpace>(exec, folds, WholeGroup<Group>{groups.data()}, groups.extent(0));
}

/// Counts, for each group, the pairs of group and value whose value is not null. `rows` has one row
/// per pair.
template <class Row, class Column>
struct CountPairOfGroup {
  const Row* rows;
  const Row* group_of;
  Column column;
  std::uint64_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const Row row = rows[p];
    if (!column.is_null(row)) Kokkos::atomic_inc(&counts[group_of[row]]);
  }
};

}  // namespace hashmill::detail
