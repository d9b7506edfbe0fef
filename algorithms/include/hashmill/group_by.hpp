#pragma once

#include <hashmill/aggregate.hpp>
#include <hashmill/group_by/detail/batches/aggregated_batches.hpp>

namespace hashmill {

/// The groups of a group-by and what was asked of them.
///
///     representatives: Row x groups; a row of each group, which is where its key is read
///     results:         a tuple of AggregateColumn, one for each aggregation
template <class Row, class MemorySpace, class Results>
struct Aggregated {
  Kokkos::View<Row*, MemorySpace> representatives;
  Results results;

  /// Number of groups.
  [[nodiscard]] std::uint64_t size() const { return representatives.extent(0); }
};

namespace detail {

/// A group-by as a HashAggregation of one batch does it, row by row where the aggregations allow.
template <class Row, class Exec, class Keys, class... Aggregations>
auto group_in_rows(const Exec& exec, const Keys& keys, Seed seed,
                   const Aggregations&... aggregations) {
  using Memory = typename Keys::memory_space;
  AggregatedBatches<Row, RowHash, decltype(as_columns(keys)), Aggregations...> batches(
      exec, RowHash(seed), seed, aggregations...);
  const auto rows = batches.add(exec, BatchStrategy::by_rows, keys, aggregations...);
  const Kokkos::View<Row*, Memory> representatives = backends::allocate<Kokkos::View<Row*, Memory>>(
      exec, "hashmill::group_by::representatives", rows.extent(0));
  Kokkos::deep_copy(exec, representatives, rows);
  auto results = batches.results(exec);
  exec.fence("hashmill::group_by: results are handed to the caller");
  return Aggregated<Row, Memory, decltype(results)>{representatives, std::move(results)};
}

/// A group-by in the way that its keys suggest.
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
  const auto groups = accumulate_groups<Row, Memory>(
      exec, keys, folds, own_hash(GroupHashOf<Keys>(seed), HashLevel::groups), workspace);
  auto results = collect<Memory>(exec, folds, groups.accumulators);
  exec.fence("hashmill::group_by: results are handed to the caller");
  return Aggregated<Row, Memory, decltype(results)>{groups.representatives, std::move(results)};
}

}  // namespace detail

/// Groups rows by their keys and aggregates: what `group_rows` and `aggregate` do, without telling
/// which group each row is in.
///
///     const auto sales = group_by(exec, columns(country, city), agg::sum(price), agg::count());
///     gather(exec, country, sales.representatives, countries);  // keys, as columns
///     std::get<0>(sales.results).values;                        // sums
///
/// While groups are few (a sample of 2^16 rows tells, or every 64th up to 2^20), teams group and
/// aggregate their rows in scratch, host threads in tables of which all fit the last cache: each
/// row is read once, and what it comes to, 8 to 40 bytes a team and group, is grouped and merged in
/// memory. Where groups are many and keys are integers, rows are partitioned by the hash of their
/// key, and a team aggregates a part; on hosts, records of key, row number and the value carry what
/// aggregations without nulls read of one column, 8 to 32 bytes a row, else values are read at
/// random places. Rows beyond what tables hold, and all rows where many keys are of another kind or
/// the variance of floating-point numbers is asked for, take the path of `group_rows` and
/// `aggregate`. Throws as those.
///
/// Allocates the result, and what `group_rows` does where that is asked; other temporary memory is
/// of `workspace`: up to the records twice and a row number a row. Fences `exec`.
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

/// As above, in a way of the caller's choice: `group_by(exec, keys, {GroupStrategy::hash},
/// workspace, agg::count())`. The groups and results are the same, in another order.
///
/// - `automatic`: as above.
/// - `hash`, `dense`: `group_rows` of that strategy, then `aggregate`.
/// - `tag_bucket`: a HashAggregation of one batch, whose header tells what it costs: Velox's way.
///   It groups the rows, copies each key into a row with its accumulators, and adds to those, which
///   pays where batches follow. `automatic` never takes it.
///
/// `options.seed` is that of all hash functions, where strangers choose keys (see hash.hpp).
///
/// Throws also InvalidArgument where `dense` is asked of keys that are no view of integers, or
/// `tag_bucket` of keys that are no columns or have `nans_unequal()`, or of the first of strings.
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
      return detail::group_in_rows<Row>(exec, keys, options.seed, aggregations...);
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
