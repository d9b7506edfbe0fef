#pragma once

#include <hashmill/distributed_aggregation.hpp>
#include <optional>

namespace hashmill {

/// Groups the rows of all ranks by their keys and aggregates each group. Collective, on `exec`,
/// which it fences. Returns a GroupedColumns of the groups that this rank owns; a group is on
/// exactly one rank. It is a DistributedAggregation of one batch per rank, which describes the
/// plan, the cost and the order of rows.
///
///     namespace agg = hashmill::agg;
///     const auto mine = hashmill::distributed_group_by(exec, ranks, hashmill::columns(city, day),
///                                                      options, workspace, agg::sum(price));
///     const auto sums = std::get<0>(mine.results).values;  // sums(g): of group g
///
/// - keys, aggregations: n rows each on this rank, also none. All ranks give the same types.
/// - options: the seed is equal on all ranks.
/// - workspace: temporary memory, 12 to 40 bytes per row.
///
/// Throws on all ranks, after which the communicator can be used again: InvalidArgument where
/// lengths differ, keys have `nans_unequal()`, or ranks give other types, options or aggregations;
/// CapacityError where memory is short. On ranks that did not fail it is a CommunicationError,
/// which names one that did.
template <RowNumber Row = std::uint32_t, class Hash = RowHash, backends::ExecutionSpace Exec,
          class Keys, class... Aggregations>
[[nodiscard]] auto distributed_group_by(const Exec& exec, const Communicator& ranks,
                                        const Keys& keys, const DistributedGroupOptions& options,
                                        Workspace<typename Keys::memory_space>& workspace,
                                        const Aggregations&... aggregations) {
  detail::require_kept_groups<Keys, Aggregations...>();
  using Columns = decltype(detail::as_columns(keys));
  using Groups =
      detail::GroupsOfRanks<Kokkos::is_view_v<Keys>, Row, Hash, Columns, Aggregations...>;
  Kokkos::Profiling::ScopedRegion region("hashmill::distributed_group_by");
  detail::CollectiveCall call(ranks, "distributed_group_by",
                              Groups::signature(options, aggregations...));
  std::optional<Groups> groups;
  call.step("aggregate", [&] {
    const typename Workspace<typename Keys::memory_space>::Frame frame(workspace);
    const Hash hash = detail::seeded_hash("distributed_group_by", Hash(), options.seed);
    groups.emplace(exec, options, hash, aggregations...);
    groups->add(exec, ranks.size(), workspace, keys, aggregations...);
  });
  call.agree("agree on groups");
  auto found = groups->results(exec, ranks, call, workspace);
  call.agree("agree on results");
  return found;
}

/// As above, with default options and temporary memory of its own.
template <RowNumber Row = std::uint32_t, class Hash = RowHash, backends::ExecutionSpace Exec,
          class Keys, class First, class... Aggregations>
  requires(!std::same_as<First, DistributedGroupOptions>)
[[nodiscard]] auto distributed_group_by(const Exec& exec, const Communicator& ranks,
                                        const Keys& keys, const First& first,
                                        const Aggregations&... aggregations) {
  Workspace<typename Keys::memory_space> workspace;
  return distributed_group_by<Row, Hash>(exec, ranks, keys, DistributedGroupOptions{}, workspace,
                                         first, aggregations...);
}

}  // namespace hashmill
