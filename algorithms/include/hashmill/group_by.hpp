#pragma once

#include <hashmill/aggregate.hpp>
#include <hashmill/detail/aggregate_partially.hpp>

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

/// Groups rows by their keys and aggregates: what `group_rows` and `aggregate` do, without telling
/// which group each row is in.
///
///     const auto sales = group_by(exec, columns(country, city), agg::sum(price), agg::count());
///     gather(exec, country, sales.representatives, countries);  // keys, as columns
///     std::get<0>(sales.results).values;                        // sums
///
/// While groups are few (a sample of 2^16 rows tells), teams group and aggregate their rows in
/// scratch, a host thread's cache: each row is read once, and what it comes to, 8 to 40 bytes a
/// team and group, is grouped and merged in memory. Rows beyond what scratch holds, and all rows
/// where groups are many or the variance is asked for, take the path of `group_rows` and
/// `aggregate`. Throws as those.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Keys,
          class... Aggregations>
[[nodiscard]] auto group_by(const Exec& exec, const Keys& keys,
                            const Aggregations&... aggregations) {
  using Memory = typename Keys::memory_space;
  using Folds = detail::FoldList<Aggregations...>;
  static_assert(sizeof...(Aggregations) >= 1, "hashmill::group_by: at least one aggregation");
  detail::require_accessible_table<Exec, Memory>();
  Kokkos::Profiling::ScopedRegion region("hashmill::group_by");
  check_rows<Row>(0, keys.size());
  (detail::check_rows_of(aggregations, keys.size()), ...);
  Workspace<Memory> workspace;
  const Folds folds = detail::list_folds(aggregations...);
  const auto groups = detail::accumulate_groups<Row, Memory>(exec, keys, folds, workspace);
  auto results = detail::collect<Memory>(exec, folds, groups.accumulators);
  exec.fence("hashmill::group_by: results are handed to the caller");
  return Aggregated<Row, Memory, decltype(results)>{groups.representatives, std::move(results)};
}

}  // namespace hashmill
