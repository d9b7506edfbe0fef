#pragma once

#include <hashmill/backends/scan.hpp>
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

/// The whole of partial aggregation: in scratch, then in memory; waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_partially(const Exec& exec, const Keys& keys, const Folds& folds,
                          const PartialPlan& plan, Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  using Kernel = AggregateInScratch<Exec, Keys, Folds, Row>;
  using Policy = Kokkos::TeamPolicy<Exec>;
  const std::uint64_t n = keys.size(), room = plan.teams * plan.slots;
  const auto listed = workspace.template take<Row>(exec, checked_add(room, n, "rows to group"));
  const auto partial = workspace.template take<Group>(exec, room);
  const auto spilled = workspace.template take<Row>(exec, n);
  const auto places = workspace.template take<std::uint64_t>(exec, plan.teams + 2);
  Kokkos::deep_copy(exec, places, std::uint64_t{0});
  const auto num_spilled =
      Kokkos::subview(places, std::make_pair<std::uint64_t>(1, plan.teams + 2));
  launch_tiles<backends::has_wide_teams<Exec>, Policy>(
      "hashmill::group_by::in_scratch", exec, plan.teams,
      plan.slots * sizeof(typename Kernel::Slot) + Kernel::counter_bytes +
          alignof(std::max_align_t),
      Kernel{keys,
             folds,
             {listed.data(), partial.data(), places.data(), spilled.data(), num_spilled.data()},
             plan.slots});
  backends::exclusive_scan(exec, num_spilled, workspace);
  std::uint64_t num_partial = 0, num_left = 0;
  Kokkos::deep_copy(exec, num_partial, Kokkos::subview(places, 0));
  Kokkos::deep_copy(exec, num_left, Kokkos::subview(places, plan.teams + 1));
  exec.fence("hashmill::group_by: how many groups are left to merge");
  if (num_left != 0) {
    launch_tiles<backends::has_wide_teams<Exec>, Policy>(
        "hashmill::group_by::compact_spilled", exec, plan.teams, 0,
        CompactSpilled<Row>{spilled.data(), num_spilled.data(), (n + plan.teams - 1) / plan.teams,
                            listed.data() + num_partial});
  }
  const std::uint64_t count = num_partial + num_left;
  const auto groups = group_listed<Row, MemorySpace>(exec, keys, listed.data(), count, workspace);
  const auto accumulators = workspace.template take<Group>(exec, groups.size());
  const GroupedRows<Folds, Row> rows{folds, groups.group_of.data(), count, accumulators.data(),
                                     groups.size()};
  Kokkos::parallel_for("hashmill::group_by::clear", backends::range(exec, groups.size()),
                       ClearGroups<Folds, Row>{rows});
  Kokkos::parallel_for("hashmill::group_by::merge", backends::range(exec, count),
                       MergePartial<Folds, Row>{rows, listed.data(), partial.data(), num_partial});
  AccumulatedGroups<Row, MemorySpace, Group> result{
      backends::allocate<Kokkos::View<Row*, MemorySpace>>(
          exec, "hashmill::group_by::representatives", groups.size()),
      accumulators};
  gather(exec, listed, groups.representatives, result.representatives);
  return result;
}

/// Groups rows and accumulates, partially first where that pays; waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_groups(const Exec& exec, const Keys& keys, const Folds& folds,
                       Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  const auto by = group_keys(keys);
  using By = std::decay_t<decltype(by)>;
  const std::uint64_t n = keys.size();
  if constexpr (!Folds::two_passes) {
    if (n != 0) {
      const std::uint64_t expected = estimate_groups(exec, by, GroupHash<KeyOf<By>>(), workspace);
      using Slot = typename AggregateInScratch<Exec, By, Folds, Row>::Slot;
      const PartialPlan plan = plan_partial(exec, n, expected, sizeof(Slot));
      if (plan.teams != 0) {
        return accumulate_partially<Row, MemorySpace>(exec, by, folds, plan, workspace);
      }
    }
  }
  const auto groups = group_rows<Row>(exec, keys);
  AccumulatedGroups<Row, MemorySpace, Group> result{
      groups.representatives, workspace.template take<Group>(exec, groups.size())};
  accumulate(exec, GroupedRows<Folds, Row>{folds, groups.group_of.data(), n,
                                           result.accumulators.data(), groups.size()});
  exec.fence("hashmill::group_by: the groups of rows are about to be freed");
  return result;
}

}  // namespace hashmill::detail
