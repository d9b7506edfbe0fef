#pragma once

#include <hashmill/aggregate.hpp>
#include <hashmill/group_by/detail/batches/aggregated_batches.hpp>

namespace hashmill {

/// The groups of a group-by and the results of its aggregations. Owns its views.
///
///     representatives   Row x groups; one row of each group, where its key can be read
///     results           a tuple of OwnedColumn, one per aggregation; element g is group g's
template <class Row, class MemorySpace, class Results>
struct Aggregated {
  Kokkos::View<Row*, MemorySpace> representatives;
  Results results;

  /// Number of groups.
  [[nodiscard]] std::uint64_t size() const { return representatives.extent(0); }
};

namespace detail {

/// Groups as a HashAggregation of one batch does: row by row where the aggregations allow it.
template <class Row, class Exec, class Keys, class... Aggregations>
auto group_in_rows(const Exec& exec, const Keys& keys, Seed seed,
                   Workspace<typename Keys::memory_space>& workspace,
                   const Aggregations&... aggregations) {
  using Memory = typename Keys::memory_space;
  const typename Workspace<Memory>::Frame frame(workspace);
  AggregatedBatches<Row, RowHash, decltype(as_columns(keys)), Aggregations...> batches(
      exec, RowHash(seed), seed, aggregations...);
  const auto rows = batches.add(exec, workspace, BatchStrategy::by_rows, keys, aggregations...);
  const Kokkos::View<Row*, Memory> representatives = backends::allocate<Kokkos::View<Row*, Memory>>(
      exec, "hashmill::group_by::representatives", rows.extent(0));
  Kokkos::deep_copy(exec, representatives, rows);
  auto results = batches.results(exec);
  exec.fence("hashmill::group_by: results are handed to the caller");
  return Aggregated<Row, Memory, decltype(results)>{representatives, std::move(results)};
}

/// The `automatic` strategy of `group_by`.
template <class Row, class Exec, class Keys, class... Aggregations>
auto group_as_suits(const Exec& exec, const Keys& keys, Seed seed,
                    Workspace<typename Keys::memory_space>& workspace,
                    const Aggregations&... aggregations) {
  require_aggregations<Aggregations...>();
  using Memory = typename Keys::memory_space;
  using Folds = FoldList<Aggregations...>;
  require_accessible_table<Exec, Memory>();
  require_accessible_queries<Exec, Keys>();
  Kokkos::Profiling::ScopedRegion region("hashmill::group_by");
  check_rows<Row>(0, keys.size());
  (check_rows_of(aggregations, keys.size()), ...);
  const typename Workspace<Memory>::Frame frame(workspace);
  const Folds folds = list_folds(aggregations...);
  const auto groups = accumulate_groups<Row, Memory>(exec, keys, folds, seed, workspace);
  auto results = collect<Memory>(exec, folds, groups.accumulators);
  exec.fence("hashmill::group_by: results are handed to the caller");
  return Aggregated<Row, Memory, decltype(results)>{groups.representatives, std::move(results)};
}

}  // namespace detail

/// Groups rows by their keys and aggregates each group. Equivalent to `group_rows` and `aggregate`,
/// except that it does not return the group of each row.
///
///     namespace agg = hashmill::agg;
///     const Kokkos::DefaultExecutionSpace exec;
///     const Kokkos::View<std::int32_t*> country("country", 1000), city("city", 1000);
///     const Kokkos::View<double*> price("price", 1000);
///     const auto sales = hashmill::group_by(exec, hashmill::columns(country, city),
///                                           agg::sum(price), agg::count());
///     const Kokkos::View<std::int32_t*> countries("countries", sales.size());
///     hashmill::gather(exec, country, sales.representatives, countries);  // a key column
///     const auto sums = std::get<0>(sales.results).values;                // sums(g): group g
///
/// A sample of the n rows estimates the number of groups, E. The sample has n / 64 rows, at least
/// 2^16 and at most 2^20, or all rows if n is less. The first line that holds chooses the strategy:
///
///     groups                                    key type    device  strategy
///     4/3 E slots fit a team's scratch, and     any         GPU     scratch
///       n is 4 or more times the slots
///     E <= n / 2, and the tables of all         any         host    thread tables
///       threads fit the last-level cache
///     key range <= max(2^16, 2 n)               integers    GPU     array
///     any, n >= 2^18                            integers    both    partitioned
///     key range <= max(2^16, 2 n)               integers    host    array
///     any                                       any         both    hash table
///
/// The key type "integers" is a view of integers or enumerations; `columns(...)` is another type.
/// The variance of floating-point numbers needs two passes. It takes "array" up to the same key
/// range, and otherwise "hash table".
///
///     scratch         each team groups a share of the rows in its scratch; the partial groups are
///                     merged in memory. Reads each row once; writes sizeof(Row) and the
///                     accumulators (see `aggregate`) per team and group.
///     thread tables   the same, with one table per host thread.
///     partitioned     rows are partitioned by the hash of their key; each part has one team.
///                     Records of 8 to 32 bytes per row carry key, row number and value, if all
///                     aggregations read one column without nulls. Otherwise values are read at
///                     random places.
///     array           `group_rows` with GroupStrategy::dense, then `aggregate`.
///     hash table      `group_rows` with GroupStrategy::hash, then `aggregate`. Rows that the first
///                     three have no room for are merged this way too.
///
/// The rules are `plan_team_shares`, `plan_team_parts`, `plan_host_shares` and `dense_limit`, under
/// group_by/detail. Tests: GroupBy.TakesMoreGroupsThanScratchHolds,
/// GroupBy.TakesRowsThatScratchHasNoRoomFor and GroupByOnHosts.TakesFewGroupsAndMany. The comment
/// of `plan_host_shares` gives the measurement behind the limit of thread tables.
///
/// Allocates the result, and what `group_rows` allocates where that is used. Other temporary memory
/// comes from `workspace`: at most the records twice and one row number per row. Fences `exec`.
/// Throws what `group_rows` and `aggregate` throw.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Keys,
          class... Aggregations>
[[nodiscard]] auto group_by(const Exec& exec, const Keys& keys,
                            Workspace<typename Keys::memory_space>& workspace,
                            const Aggregations&... aggregations) {
  return detail::group_as_suits<Row>(exec, keys, Seed(0), workspace, aggregations...);
}

/// As above, with temporary memory of its own.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Keys,
          class... Aggregations>
  requires(!(std::same_as<Aggregations, GroupOptions> || ...))
[[nodiscard]] auto group_by(const Exec& exec, const Keys& keys,
                            const Aggregations&... aggregations) {
  detail::require_keys<Keys>();
  detail::require_aggregations<Aggregations...>();
  if constexpr (detail::is_key_source<Keys> && detail::are_aggregations<Aggregations...>) {
    Workspace<typename Keys::memory_space> workspace;
    return group_by<Row>(exec, keys, workspace, aggregations...);
  }
}

/// As above, with a strategy that the caller chooses: `group_by(exec, keys, {GroupStrategy::hash},
/// workspace, agg::count())`. The groups and results are the same, in another order.
///
/// - `automatic`: as above.
/// - `hash`, `dense`: `group_rows` with that strategy, then `aggregate`.
/// - `tag_bucket`: a HashAggregation of one batch, as Velox does; hash_aggregation.hpp states the
///   cost. It groups the rows, copies each key into a row beside its accumulators, and adds to
///   these. That pays off only if more batches follow, so `automatic` never chooses it.
///
/// `options.seed` seeds all hash functions. It is needed where untrusted parties choose the keys
/// (see hash.hpp).
///
/// Also throws InvalidArgument in these cases:
/// - `dense`, and the keys are not a view of integers;
/// - `tag_bucket`, and the keys are neither columns nor a view of numbers, or have
///   `nans_unequal()`;
/// - `tag_bucket`, and an aggregation is `agg::first` of strings.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Keys,
          class... Aggregations>
[[nodiscard]] auto group_by(const Exec& exec, const Keys& keys, const GroupOptions& options,
                            Workspace<typename Keys::memory_space>& workspace,
                            const Aggregations&... aggregations) {
  detail::require_aggregations<Aggregations...>();
  using Memory = typename Keys::memory_space;
  using Result = decltype(group_by<Row>(exec, keys, workspace, aggregations...));
  if (options.strategy == GroupStrategy::automatic) {
    return detail::group_as_suits<Row>(exec, keys, options.seed, workspace, aggregations...);
  }
  Kokkos::Profiling::ScopedRegion region("hashmill::group_by");
  if (options.strategy == GroupStrategy::tag_bucket) {
    if constexpr (detail::has_columns<Keys>() && (detail::fits_rows<Aggregations> && ...)) {
      return detail::group_in_rows<Row>(exec, keys, options.seed, workspace, aggregations...);
    } else {
      throw InvalidArgument(
          "group_by: tag_bucket needs keys that are columns, and no first string");
    }
  }
  check_rows<Row>(0, keys.size());
  (detail::check_rows_of(aggregations, keys.size()), ...);
  const typename Workspace<Memory>::Frame frame(workspace);
  const auto folds = detail::list_folds(aggregations...);
  const auto groups = detail::accumulate_numbered(
      exec, keys.size(), group_rows<Row>(exec, keys, options), folds, workspace);
  auto results = detail::collect<Memory>(exec, folds, groups.accumulators);
  exec.fence("hashmill::group_by: results are handed to the caller");
  return Result{groups.representatives, std::move(results)};
}

/// As above, with temporary memory of its own.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Keys,
          class... Aggregations>
[[nodiscard]] auto group_by(const Exec& exec, const Keys& keys, const GroupOptions& options,
                            const Aggregations&... aggregations) {
  detail::require_keys<Keys>();
  detail::require_aggregations<Aggregations...>();
  if constexpr (detail::is_key_source<Keys> && detail::are_aggregations<Aggregations...>) {
    Workspace<typename Keys::memory_space> workspace;
    return group_by<Row>(exec, keys, options, workspace, aggregations...);
  }
}

}  // namespace hashmill

#ifdef HASHMILL_INSTANCES
#include <hashmill/group_by/instances.hpp>
#endif
