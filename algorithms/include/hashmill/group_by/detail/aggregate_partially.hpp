#pragma once

#include <hashmill/backends/scan.hpp>
#include <hashmill/group_by/detail/accumulate_host.hpp>
#include <hashmill/group_by/detail/merge_partial.hpp>
#include <hashmill/group_by/detail/partial_groups.hpp>
#include <hashmill/linear_probing/detail/insert.hpp>

namespace hashmill::detail {

/// Aggregates shares of the rows in scratch, then merges in memory the groups of all teams and the
/// rows that found no room. `apart`: no two teams have rows of one group, so that without such rows
/// there is nothing to merge. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds, class Shares>
auto accumulate_shares(const Exec& exec, const Keys& keys, const Folds& folds,
                       const GroupHash<KeyOf<Keys>>& hash, const Shares& shares,
                       const PartialPlan& plan, bool apart, Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  using Kernel = AggregateInScratch<Exec, Keys, Folds, Row, Shares>;
  using Policy = Kokkos::TeamPolicy<Exec>;
  const std::uint64_t n = keys.size();
  const std::uint64_t room = std::min(checked_multiply(plan.teams, plan.slots, "groups"), n);
  const auto listed = workspace.template take<Row>(exec, checked_add(room, n, "rows to group"));
  const auto partial = workspace.template take<Group>(exec, room);
  const auto spilled = workspace.template take<Row>(exec, n);
  const auto counters = workspace.template take<std::uint64_t>(exec, plan.teams + 2);
  Kokkos::deep_copy(exec, counters, std::uint64_t{0});
  const auto num_spilled =
      Kokkos::subview(counters, std::make_pair<std::uint64_t>(1, plan.teams + 2));
  launch_tiles<true, Policy>(
      "hashmill::group_by::in_scratch", exec, plan.teams, Kernel::scratch_bytes(plan.slots),
      Kernel{keys,
             shares,
             folds,
             hash,
             {listed.data(), partial.data(), counters.data(), spilled.data(), num_spilled.data()},
             plan.slots});
  backends::exclusive_scan(exec, num_spilled, workspace);
  std::uint64_t num_partial = 0, num_left = 0;
  Kokkos::deep_copy(exec, num_partial, Kokkos::subview(counters, 0));
  Kokkos::deep_copy(exec, num_left, Kokkos::subview(counters, plan.teams + 1));
  exec.fence("hashmill::group_by: how many groups are left to merge");

  if (apart && num_left == 0) {
    return keep_apart<Row, MemorySpace>(exec, listed, partial, num_partial);
  }
  if (num_left != 0) {
    launch_tiles<true, Policy>(
        "hashmill::group_by::compact_spilled", exec, plan.teams, 0,
        CompactSpilled<Row, Shares>{shares, spilled.data(), num_spilled.data(),
                                    listed.data() + num_partial});
  }
  const std::uint64_t count = num_partial + num_left;
  const KeysOfRows<Keys, Row, MemorySpace> left{keys, listed.data(), count};
  return merge_partial<Row>(exec, keys, folds, listed, partial, num_partial, count,
                            estimate_groups(exec, left, hash, workspace), hash, workspace);
}

/// Many groups of integer keys: partitions rows by the hash of their key, so that a team has all
/// rows of its groups, and these fit its scratch. Reads and writes one key and one row number per
/// row and level of partitioning. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_parts(const Exec& exec, const Keys& keys, const Folds& folds,
                      const GroupHash<KeyOf<Keys>>& hash, const PartialPlan& plan,
                      Workspace<MemorySpace>& workspace) {
  using Source = KeyRowSource<KeyOf<Keys>, Row, Keys, RowsFrom<Row>>;
  const auto parts = partition_records<std::uint64_t>(
      exec, Source{keys, {}}, keys.size(),
      HighestHashBits<&Source::record_type::first, GroupHash<KeyOf<Keys>>>{hash,
                                                                           64 - plan.part_bits},
      plan.part_bits, workspace);
  return accumulate_shares<Row, MemorySpace>(
      exec, keys, folds, hash, PartShares<KeyOf<Keys>, Row>{parts.records, parts.offsets}, plan,
      true, workspace);
}

/// Accumulates `num_rows` rows whose groups are already numbered. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Folds>
auto accumulate_numbered(const Exec& exec, std::uint64_t num_rows,
                         const RowGroups<Row, MemorySpace>& groups, const Folds& folds,
                         Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  AccumulatedGroups<Row, MemorySpace, Group> result{
      groups.representatives, workspace.template take<Group>(exec, groups.size())};
  accumulate(exec, GroupedRows<Folds, Row>{folds, groups.group_of.data(), num_rows,
                                           result.accumulators.data(), groups.size()});
  exec.fence("hashmill::group_by: the groups of rows are about to be freed");
  return result;
}

/// Groups rows and accumulates. The strategy depends on the keys and the number of groups; the
/// table in group_by.hpp gives the rules. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_groups(const Exec& exec, const Keys& keys, const Folds& folds,
                       const GroupHashOf<Keys>& hash, Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  const auto by = group_keys(keys);
  using By = std::decay_t<decltype(by)>;
  using Key = KeyOf<By>;
  const std::uint64_t n = keys.size();
  RowGroups<Row, MemorySpace> groups;
  if constexpr (!Folds::two_passes) {
    const std::uint64_t expected = estimate_groups(exec, by, hash, workspace);
    if constexpr (backends::has_wide_teams<Exec>) {
      using Slot = ScratchSlot<Row, Group>;
      const PartialPlan few = plan_partial(exec, n, expected, sizeof(Slot));
      if (few.teams != 0) {
        return accumulate_shares<Row, MemorySpace>(exec, by, folds, hash,
                                                   EvenShares<By, Row>{by, few.teams}, few,
                                                   few.teams == 1, workspace);
      }
      const bool is_dense = try_dense(exec, keys, GroupStrategy::automatic, groups, workspace);
      if constexpr (fits_slot<Key>) {
        const PartialPlan many = plan_parts(exec, n, expected, sizeof(Slot));
        if (!is_dense && n >= least_rows_to_partition) {
          return accumulate_parts<Row, MemorySpace>(exec, by, folds, hash, many, workspace);
        }
      }
      if (!is_dense) {
        groups = group_hashed(exec, all_rows<Row, MemorySpace>(by), expected, hash, workspace);
      }
    } else {
      const HostPlan plan = plan_on_host<By, Row, Group>(exec, n, expected);
      if (plan.tables != 0) {
        return accumulate_on_host<Row, MemorySpace>(exec, by, folds, hash, plan, expected,
                                                    workspace);
      }
      if (!try_dense(exec, keys, GroupStrategy::automatic, groups, workspace)) {
        groups = group_hashed(exec, all_rows<Row, MemorySpace>(by), expected, hash, workspace);
      }
    }
  } else {
    groups = group_by_strategy<Row>(exec, keys, GroupStrategy::automatic, hash, workspace);
  }
  return accumulate_numbered(exec, n, groups, folds, workspace);
}

}  // namespace hashmill::detail
