#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/aggregations.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/group_by/detail/aggregate_results.hpp>
#include <hashmill/group_rows.hpp>

namespace hashmill {

/// Aggregates the values of each group: `aggregate(exec, groups, agg::sum(prices), agg::count())`
/// gives a tuple with an AggregateColumn for each, whose element g is that of group g. On `exec`,
/// which it fences. `groups` can serve any number of calls.
///
/// All aggregations of a call share one pass over the rows (two where one is a variance of
/// floating-point numbers), which reads a row's group and values once. While all groups'
/// accumulators (8 or 16 bytes each, 24 of a mean, 40 or 48 of a variance) fit a team's scratch, a
/// host thread's cache, teams add to copies of their own and merge them; else threads add
/// atomically to one place in memory, a random access a row.
///
/// Throws InvalidArgument where a column has not as many rows as `groups`, and CapacityError when
/// memory is short.
template <backends::ExecutionSpace Exec, RowNumber Row, class MemorySpace, class... Aggregations>
[[nodiscard]] auto aggregate(const Exec& exec, const RowGroups<Row, MemorySpace>& groups,
                             const Aggregations&... aggregations) {
  detail::require_aggregations<Aggregations...>();
  detail::require_accessible_table<Exec, MemorySpace>();
  Kokkos::Profiling::ScopedRegion region("hashmill::aggregate");
  (detail::check_rows_of(aggregations, groups.num_rows()), ...);
  using Folds = detail::FoldList<Aggregations...>;
  Workspace<MemorySpace> workspace;
  const auto accumulators = workspace.template take<typename Folds::Group>(exec, groups.size());
  const detail::GroupedRows<Folds, Row> rows{detail::list_folds(aggregations...),
                                             groups.group_of.data(), groups.num_rows(),
                                             accumulators.data(), groups.size()};
  detail::accumulate(exec, rows);
  auto results = detail::collect<MemorySpace>(exec, rows.folds, accumulators);
  exec.fence("hashmill::aggregate: results are handed to the caller");
  return results;
}

/// How many different values each group has, nulls not counted: groups the pairs of group and value
/// once more, and counts those groups. `values` is a view of numbers or a column of any
/// kind. NaNs are one value. The options are those of that `group_rows`. Cost and errors as of
/// `group_rows` and `aggregate`; 8 bytes a row of row numbers besides.
template <backends::ExecutionSpace Exec, RowNumber Row, class MemorySpace, class Values>
[[nodiscard]] Kokkos::View<std::uint64_t*, MemorySpace> count_distinct(
    const Exec& exec, const RowGroups<Row, MemorySpace>& groups, const Values& values,
    const GroupOptions& options = {}) {
  static_assert(agg::detail::has_values<Values>(),
                "hashmill::count_distinct: values are a view of numbers or a column");
  Kokkos::Profiling::ScopedRegion region("hashmill::count_distinct");
  detail::same_length("count_distinct", "rows", groups.num_rows(), "values", values);
  const auto pairs = group_rows<Row>(exec, columns(groups.group_of, values), options);
  Kokkos::View<std::uint64_t*, MemorySpace> counts =
      backends::allocate<Kokkos::View<std::uint64_t*, MemorySpace>>(
          exec, "hashmill::count_distinct", groups.size());
  Kokkos::deep_copy(exec, counts, std::uint64_t{0});
  const auto column = as_column(values);
  backends::for_each_index(
      "hashmill::count_distinct", exec, pairs.size(),
      detail::CountPairOfGroup<Row, std::decay_t<decltype(column)>>{
          pairs.representatives.data(), groups.group_of.data(), column, counts.data()});
  exec.fence("hashmill::count_distinct: results are handed to the caller");
  return counts;
}

}  // namespace hashmill
