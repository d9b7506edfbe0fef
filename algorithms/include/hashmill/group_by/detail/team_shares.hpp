#pragma once

#include <bit>
#include <hashmill/backends/scan.hpp>
#include <hashmill/group_by/detail/aggregate_in_scratch.hpp>
#include <hashmill/group_by/detail/merge_partial.hpp>

namespace hashmill::detail {

/// Copies the rows that a team spilled behind those of the teams before it.
template <class Row, class Shares>
struct CompactSpilled {
  Shares team_shares;
  const Row* spilled;
  const std::uint64_t* places;
  Row* rows;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t begin = places[number], end = places[number + 1];
    const auto threads = static_cast<std::uint64_t>(team.team_size());
    for (std::uint64_t i = begin + team.team_rank(); i < end; i += threads) {
      rows[i] = spilled[team_shares.begin(number) + (i - begin)];
    }
  }
};

/// Plans partial aggregation without partitioning, in at most `most` slots of a team. It pays off
/// if the groups fill at most 3/4 of them and a team has at least 4 rows per slot; there are 0
/// shares otherwise. `teams`: how many run at once.
///
///     slots   groups x 4/3, at least 64; twice as many if they fit. An odd number, so that equal
///             slots of several tables lie in different banks of the scratch
///     shares  at most `teams`, and at most rows / (4 * slots)
///     tables  as many as fit, at most 32, so that there are 2048 rows for each partial group: all
///             teams merge them into the same few groups
[[nodiscard]] inline SharePlan plan_team_shares(std::uint64_t teams, std::uint64_t rows,
                                                std::uint64_t groups, std::uint64_t most) {
  const std::uint64_t least = std::max<std::uint64_t>(64, groups + groups / 3 + 1);
  if (least > most) return {};
  const std::uint64_t slots = std::min(2 * least + 1, most);
  const std::uint64_t shares = std::min(teams, rows / (4 * slots));
  if (shares == 0) return {};
  const std::uint64_t most_tables = rows / (2048 * shares * std::max<std::uint64_t>(1, groups));
  const std::uint64_t tables =
      std::clamp<std::uint64_t>(std::min(most / slots, most_tables), 1, 32);
  return {shares, static_cast<std::uint32_t>(slots), static_cast<std::uint32_t>(tables)};
}

/// Plans partial aggregation of partitioned rows, in tables of `slots` slots. If the estimate of
/// the groups is right, those of a part fill at most a half of a table. There are at least 3/4 as
/// many parts as teams run at once, and at least 2.
[[nodiscard]] inline SharePlan plan_team_parts(std::uint64_t teams, std::uint64_t rows,
                                               std::uint64_t groups, std::uint64_t slots) {
  const std::uint64_t most_groups = std::max<std::uint64_t>(1, slots / 2);
  const std::uint64_t parts =
      std::bit_ceil(std::max({std::uint64_t{2}, teams - teams / 4,
                              (std::min(rows, groups) + most_groups - 1) / most_groups}));
  return {parts, static_cast<std::uint32_t>(slots), 1,
          static_cast<unsigned>(std::bit_width(parts)) - 1};
}

/// Aggregates shares of the rows in scratch, then merges the groups of all teams and the spilled
/// rows in memory. Waits for `exec`.
///
/// `are_disjoint`: no two tables have rows of one group. Then only spilled rows are grouped in
/// memory. None is of a group that a table has: slots are never freed, so a key that has found no
/// room will not find any later, and one that has room is found there.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds, class Shares>
auto accumulate_team_shares(const Exec& exec, const Keys& keys, const Folds& folds,
                            const GroupHash<KeyOf<Keys>>& hash, const Shares& shares,
                            const SharePlan& plan, bool are_disjoint,
                            Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  using Kernel = AggregateInScratch<Exec, Keys, Folds, Row, Shares>;
  const std::uint64_t n = keys.size();
  const std::uint64_t room =
      std::min(checked_multiply(plan.shares, plan.share_slots() + std::uint64_t{1}, "groups"), n);
  const auto rows = take_partial_rows<Row>(exec, room, n, plan.shares + 2, workspace);
  const auto partial = workspace.template take<Group>(exec, room);
  const auto num_spilled =
      Kokkos::subview(rows.counters, std::make_pair<std::uint64_t>(1, plan.shares + 2));
  check_tiles(plan.shares);
  Kernel::Teams::launch("hashmill::group_by::in_scratch", exec, static_cast<int>(plan.shares),
                        Kernel::scratch_bytes(plan),
                        Kernel{keys, shares, folds, hash, rows.results(partial.data()), plan});
  backends::exclusive_scan(exec, num_spilled, workspace);
  const PartialCounts counts = fetch_counts(exec, rows);
  if (are_disjoint && counts.num_spilled == 0) {
    return keep_partial(exec, rows, partial, counts.num_groups);
  }
  if (counts.num_spilled != 0) {
    launch_tiles<true, Kokkos::TeamPolicy<Exec>>(
        "hashmill::group_by::compact_spilled", exec, plan.shares, 0,
        CompactSpilled<Row, Shares>{shares, rows.spilled.data(), num_spilled.data(),
                                    rows.listed.data() + counts.num_groups});
  }
  if (are_disjoint) {
    return append_spilled(exec, keys, folds, rows, partial, counts, hash, workspace);
  }
  const KeysOfRows<Keys, Row, MemorySpace> to_merge{keys, rows.listed.data(),
                                                    counts.num_groups + counts.num_spilled};
  const std::uint64_t expected = estimate_groups(exec, to_merge, hash, workspace);
  return merge_partial(exec, keys, folds, rows, partial, counts, expected, hash, workspace);
}

/// Few groups: each team takes a slice of the rows. Reads each row once. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_team_slices(const Exec& exec, const Keys& keys, const Folds& folds,
                            const GroupHash<KeyOf<Keys>>& hash, const SharePlan& plan,
                            Workspace<MemorySpace>& workspace) {
  return with_carried<Row, true>(
      keys, folds, [&]<class Value>(const auto& source, CarriedValue<Value>) {
        const TeamSlices<std::decay_t<decltype(source)>, Value> shares{source, plan.shares};
        return accumulate_team_shares<Row, MemorySpace>(exec, keys, folds, hash, shares, plan,
                                                        plan.shares * plan.tables == 1, workspace);
      });
}

/// Many groups of integer keys: partitions rows by the hash of their key, so that a team has all
/// rows of its groups, and these fit its scratch. Reads and writes one record per row and level of
/// partitioning, with the row's key, number and, if no column has nulls and they fit 32 bytes, all
/// values. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_team_parts(const Exec& exec, const Keys& keys, const Folds& folds,
                           const GroupHash<KeyOf<Keys>>& hash, const SharePlan& plan,
                           Workspace<MemorySpace>& workspace) {
  return with_carried<Row, true>(
      keys, folds, [&]<class Value>(const auto& source, CarriedValue<Value>) {
        using Record = typename std::decay_t<decltype(source)>::record_type;
        const auto parts = partition_carried(exec, source, hash, plan.part_bits, workspace);
        const TeamParts<Record, Value> shares{{parts.records}, parts.offsets};
        return accumulate_team_shares<Row, MemorySpace>(exec, keys, folds, hash, shares, plan, true,
                                                        workspace);
      });
}

}  // namespace hashmill::detail
