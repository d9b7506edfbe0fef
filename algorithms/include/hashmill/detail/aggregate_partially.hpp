#pragma once

#include <hashmill/backends/scan.hpp>
#include <hashmill/detail/linear_probing_insert.hpp>
#include <hashmill/detail/partial_groups.hpp>
#include <hashmill/gather.hpp>
#include <hashmill/group_rows.hpp>

namespace hashmill::detail {

/// Groups with their accumulators, in memory of a workspace.
template <class Row, class MemorySpace, class Group>
struct AccumulatedGroups {
  Kokkos::View<Row*, MemorySpace> representatives;
  typename Workspace<MemorySpace>::template Array<Group> accumulators;
};

/// Adds what teams aggregated, and then the rows that they left over, to the groups of both.
template <class Folds, class Row>
struct MergePartial {
  GroupedRows<Folds, Row> listed;
  const Row* rows;
  const typename Folds::Group* partial;
  std::uint64_t num_partial;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    auto* const group = listed.groups + listed.group_of[i];
    if (i < num_partial) {
      listed.folds.template merge<Shared, false>(group, partial[i]);
    } else {
      listed.folds.template add<Shared, false>(group, group, rows[i]);
    }
  }
};

/// Aggregates shares of rows in scratch and merges in memory what is left to merge: groups that
/// several teams have, unless `apart`, and rows that found no room. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds, class Shares>
auto accumulate_shares(const Exec& exec, const Keys& keys, const Folds& folds, const Shares& shares,
                       const PartialPlan& plan, bool apart, Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  using Kernel = AggregateInScratch<Exec, Keys, Folds, Row, Shares>;
  using Policy = Kokkos::TeamPolicy<Exec>;
  constexpr bool wide = backends::has_wide_teams<Exec>;
  const std::uint64_t n = keys.size();
  const std::uint64_t room = std::min(checked_multiply(plan.teams, plan.slots, "groups"), n);
  const auto listed = workspace.template take<Row>(exec, checked_add(room, n, "rows to group"));
  const auto partial = workspace.template take<Group>(exec, room);
  const auto spilled = workspace.template take<Row>(exec, n);
  const auto counters = workspace.template take<std::uint64_t>(exec, plan.teams + 2);
  Kokkos::deep_copy(exec, counters, std::uint64_t{0});
  const auto num_spilled =
      Kokkos::subview(counters, std::make_pair<std::uint64_t>(1, plan.teams + 2));
  launch_tiles<wide, Policy>(
      "hashmill::group_by::in_scratch", exec, plan.teams,
      plan.slots * sizeof(typename Kernel::Slot) + Kernel::counter_bytes +
          alignof(std::max_align_t),
      Kernel{keys,
             shares,
             folds,
             {listed.data(), partial.data(), counters.data(), spilled.data(), num_spilled.data()},
             plan.slots});
  backends::exclusive_scan(exec, num_spilled, workspace);
  std::uint64_t num_partial = 0, num_left = 0;
  Kokkos::deep_copy(exec, num_partial, Kokkos::subview(counters, 0));
  Kokkos::deep_copy(exec, num_left, Kokkos::subview(counters, plan.teams + 1));
  exec.fence("hashmill::group_by: how many groups are left to merge");

  AccumulatedGroups<Row, MemorySpace, Group> result;
  const auto allocate = [&](std::uint64_t size) {
    return backends::allocate<Kokkos::View<Row*, MemorySpace>>(
        exec, "hashmill::group_by::representatives", size);
  };
  if (apart && num_left == 0) {
    const auto found = std::make_pair(std::uint64_t{0}, num_partial);
    result.representatives = allocate(num_partial);
    Kokkos::deep_copy(exec, result.representatives, Kokkos::subview(listed, found));
    result.accumulators = Kokkos::subview(partial, found);
    return result;
  }
  if (num_left != 0) {
    launch_tiles<wide, Policy>(
        "hashmill::group_by::compact_spilled", exec, plan.teams, 0,
        CompactSpilled<Row, Shares>{shares, spilled.data(), num_spilled.data(),
                                    listed.data() + num_partial});
  }
  const std::uint64_t count = num_partial + num_left;
  const KeysOfRows<Keys, Row, MemorySpace> left{keys, listed.data(), count};
  const auto groups = group_hashed(exec, left, estimate_groups(exec, left, workspace), workspace);
  result.accumulators = workspace.template take<Group>(exec, groups.size());
  const GroupedRows<Folds, Row> rows{folds, groups.group_of.data(), count,
                                     result.accumulators.data(), groups.size()};
  Kokkos::parallel_for("hashmill::group_by::clear", backends::range(exec, groups.size()),
                       ClearGroups<Folds, Row>{rows});
  Kokkos::parallel_for("hashmill::group_by::merge", backends::range(exec, count),
                       MergePartial<Folds, Row>{rows, listed.data(), partial.data(), num_partial});
  result.representatives = allocate(groups.size());
  gather(exec, listed, groups.representatives, result.representatives);
  return result;
}

/// Part of a record: the highest bits of the hash of its key.
struct HighestHashBits {
  unsigned shift;
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Record& record) const {
    return GroupHash<std::decay_t<decltype(record.first)>>()(record.first) >> shift;
  }
};

/// Many groups of small keys: partitions rows by the hash of their key, so that a team has all rows
/// of its groups, and these fit its scratch. Reads and writes a key and a row number once for each
/// level of partitioning. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_parts(const Exec& exec, const Keys& keys, const Folds& folds,
                      const PartialPlan& plan, Workspace<MemorySpace>& workspace) {
  using Source = KeyRowSource<KeyOf<Keys>, Row, Keys, NumberedRows<Row>>;
  const auto parts = partition_records<std::uint64_t>(exec, Source{keys, {}}, keys.size(),
                                                      HighestHashBits{64 - plan.part_bits},
                                                      plan.part_bits, workspace);
  return accumulate_shares<Row, MemorySpace>(
      exec, keys, folds, PartShares<KeyOf<Keys>, Row>{parts.records, parts.offsets}, plan, true,
      workspace);
}

/// Groups rows and accumulates in the way that their keys and the number of groups suggest; waits
/// for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_groups(const Exec& exec, const Keys& keys, const Folds& folds,
                       Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  const auto by = group_keys(keys);
  using By = std::decay_t<decltype(by)>;
  using Key = KeyOf<By>;
  const std::uint64_t n = keys.size();
  RowGroups<Row, MemorySpace> groups;
  if constexpr (!Folds::two_passes) {
    const std::uint64_t expected = estimate_groups(exec, by, workspace);
    using Slot = ScratchSlotOf<Exec, Key, Row, Group>;
    const PartialPlan few = plan_partial(exec, n, expected, sizeof(Slot));
    if (few.teams != 0) {
      return accumulate_shares<Row, MemorySpace>(
          exec, by, folds, EvenShares<By, Row>{by, few.teams}, few, few.teams == 1, workspace);
    }
    const bool is_dense = try_dense(exec, keys, GroupStrategy::automatic, groups, workspace);
    if constexpr (fits_slot<Key>) {
      const PartialPlan many = plan_parts(exec, n, expected, sizeof(Slot));
      if (!is_dense && n >= least_rows_to_partition) {
        return accumulate_parts<Row, MemorySpace>(exec, by, folds, many, workspace);
      }
    }
    if (!is_dense) {
      groups = group_hashed(exec, all_rows<Row, MemorySpace>(by), expected, workspace);
    }
  } else {
    groups = group_rows<Row>(exec, keys);
  }
  AccumulatedGroups<Row, MemorySpace, Group> result{
      groups.representatives, workspace.template take<Group>(exec, groups.size())};
  accumulate(exec, GroupedRows<Folds, Row>{folds, groups.group_of.data(), n,
                                           result.accumulators.data(), groups.size()});
  exec.fence("hashmill::group_by: the groups of rows are about to be freed");
  return result;
}

}  // namespace hashmill::detail
