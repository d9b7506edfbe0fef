#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/aggregations.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/group_by/detail/aggregate_results.hpp>
#include <hashmill/group_rows.hpp>

namespace hashmill {

/// Aggregates the values of each group. Returns a tuple with one OwnedColumn per aggregation,
/// in newly allocated memory; element g of a column is the result of group g. Runs on `exec` and
/// fences it. `groups` can serve any number of calls.
///
///     namespace agg = hashmill::agg;
///     const Kokkos::DefaultExecutionSpace exec;
///     const Kokkos::View<std::uint64_t*> customer("customer", 1000);
///     const Kokkos::View<double*> price("price", 1000);
///     const auto groups = hashmill::group_rows(exec, customer);
///     const auto found = hashmill::aggregate(exec, groups, agg::sum(price), agg::count());
///     const auto sums = std::get<0>(found).values;    // sums(g): of group g
///     const auto counts = std::get<1>(found).values;  // counts(g)
///
/// All aggregations of a call share one pass over the rows, which reads a row's group and values
/// once. If one of them is a variance of floating-point numbers, there are two passes.
///
/// One group's accumulators take, per aggregation:
///
///     count, sum, min, max, first   8 bytes; 16 if the values can be null (not for count)
///     mean                          24 bytes
///     variance                      40 bytes; 48 of 64-bit integers
///
/// Where they accumulate:
///
///     all accumulators fit a team's scratch (half of a       teams add to copies of their own and
///     host thread's private cache), 4 or more rows per       merge them
///     group and team
///     otherwise                                              threads add atomically to one copy in
///                                                            memory: 1 random access per row
///
/// Tests: Aggregate.TakesFewGroupsAndMany; the rule is `share_scratch`.
///
/// Throws InvalidArgument if a column and `groups` differ in the number of rows, and CapacityError
/// if memory is short.
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

/// Counts the different values of each group, in a newly allocated uint64 view of `groups.size()`
/// elements. Nulls are not counted; all NaNs are one value. Runs on `exec` and fences it.
///
/// values: a view of numbers or a column of any kind, as long as `groups` has rows.
/// options: those of the `group_rows` that groups the pairs of group and value.
///
/// Groups those pairs, and counts the pairs of each group. Costs and throws what `group_rows` and
/// `aggregate` do, and takes another 8 bytes per row for row numbers.
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
