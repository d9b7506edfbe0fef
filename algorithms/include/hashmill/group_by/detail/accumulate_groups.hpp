#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/group_by/detail/host_shares.hpp>
#include <hashmill/group_by/detail/team_shares.hpp>

namespace hashmill::detail {

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
  constexpr bool can_partition = fits_slot<KeyOf<By>>;
  const std::uint64_t n = keys.size();
  const auto accumulate_found = [&](const RowGroups<Row, MemorySpace>& groups) {
    return accumulate_numbered(exec, n, groups, folds, workspace);
  };
  if constexpr (Folds::two_passes) {
    return accumulate_found(
        dense_or_hashed<Row>(exec, by, GroupStrategy::automatic, std::nullopt, hash, workspace));
  } else {
    const std::uint64_t expected = estimate_groups(exec, by, hash, workspace);
    if constexpr (backends::has_wide_teams<Exec>) {
      const std::uint64_t slots = most_team_slots<By, Row, Group>(exec);
      const std::uint64_t teams = AggregateTeams<Exec>::concurrent(exec);
      const SharePlan few = plan_team_shares(teams, n, expected, slots);
      if (few.shares != 0) {
        return accumulate_team_slices<Row, MemorySpace>(exec, by, folds, hash, few, workspace);
      }
      if constexpr (can_partition) {
        if (n >= least_rows_to_partition) {
          RowGroups<Row, MemorySpace> groups;
          if (try_dense(exec, by, GroupStrategy::automatic, groups, workspace)) {
            return accumulate_found(groups);
          }
          const SharePlan many = plan_team_parts(teams, n, expected, slots);
          return accumulate_team_parts<Row, MemorySpace>(exec, by, folds, hash, many, workspace);
        }
      }
    } else {
      using Entry = typename HostGroupTable<By, Row, Group>::Entry;
      const SharePlan plan = plan_host_shares(exec, n, expected, can_partition, sizeof(Entry));
      if (plan.shares != 0) {
        return accumulate_host_shares<Row>(exec, by, folds, hash, plan, expected, workspace);
      }
    }
    return accumulate_found(
        dense_or_hashed<Row>(exec, by, GroupStrategy::automatic, expected, hash, workspace));
  }
}

/// As above, by a hash function of its own with that seed, in the region of `group_by`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_groups(const Exec& exec, const Keys& keys, const Folds& folds, Seed seed,
                       Workspace<MemorySpace>& workspace) {
  Kokkos::Profiling::ScopedRegion region("hashmill::group_by");
  return accumulate_groups<Row, MemorySpace>(
      exec, keys, folds, own_hash(GroupHashOf<Keys>(seed), HashLevel::groups), workspace);
}

}  // namespace hashmill::detail
