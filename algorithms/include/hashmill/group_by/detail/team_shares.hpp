#pragma once

#include <bit>
#include <cstddef>
#include <hashmill/backends/scan.hpp>
#include <hashmill/group_by/detail/carried_rows.hpp>
#include <hashmill/group_by/detail/merge_partial.hpp>
#include <hashmill/group_by/detail/partial_groups.hpp>
#include <hashmill/group_by/detail/scratch_groups.hpp>

namespace hashmill::detail {

// Partial aggregation on GPUs: a team has its table in scratch.

/// Groups and aggregates each team's share of the rows in a table in scratch. A row is spilled if
/// it finds `Shares::most_probes` slots taken by other groups.
template <class Exec, class Keys, class Folds, class Row, class Shares>
struct AggregateInScratch {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Group = typename Folds::Group;
  using Groups = ScratchGroups<Exec, Keys, Row, Group>;

  Keys keys;
  Shares team_shares;
  Folds folds;
  GroupHash<KeyOf<Keys>> hash;
  PartialResults<Row, Group> results;
  SharePlan plan;

  [[nodiscard]] static std::size_t scratch_bytes(const SharePlan& plan) {
    return Groups::bytes(plan.share_slots()) + counter_bytes;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    // rows spilled, groups written, place of the first group
    auto* const counters = static_cast<std::uint64_t*>(
        team.team_scratch(0).get_shmem_aligned(3 * sizeof(std::uint64_t), sizeof(std::uint64_t)));
    const Groups groups(team, plan);
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const auto threads = static_cast<std::uint32_t>(team.team_size());
    for (std::uint32_t s = rank; s < groups.size(); s += threads) groups.clear(folds, s);
    if (rank == 0) counters[0] = counters[1] = 0;
    team.team_barrier();

    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t begin = team_shares.begin(number), end = team_shares.begin(number + 1);
    for (std::uint64_t i = begin + rank; i < end; i += threads) {
      const auto key = team_shares.key(i);
      const Row row = team_shares.row(i);
      Group* const group = groups.find(keys, key, row, slot_bits(key), Shares::most_probes);
      if (group != nullptr) {
        folds.template add<SharedInScratch<Exec>, false>(group, group, row);
      } else {
        results.spilled[begin + next(&counters[0])] = row;
      }
    }
    team.team_barrier();
    write(team, groups, counters);
    if (rank == 0) results.num_spilled[number] = counters[0];
  }

 private:
  static constexpr std::size_t counter_bytes = 4 * sizeof(std::uint64_t);

  /// Bits of the hash, from the highest on that does not choose the part.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t slot_bits(const KeyOf<Keys>& key) const {
    return static_cast<std::uint32_t>(hash(key) << plan.part_bits >> 32);
  }
  /// Takes the next number of a counter of the team.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t next(std::uint64_t* counter) {
    return Kokkos::atomic_fetch_add(counter, std::uint64_t{1});
  }
  /// Appends the team's groups to those of other teams.
  KOKKOS_FORCEINLINE_FUNCTION void write(const Member& team, const Groups& groups,
                                         std::uint64_t* counters) const {
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const auto threads = static_cast<std::uint32_t>(team.team_size());
    std::uint64_t used = 0;
    for (std::uint32_t s = rank; s < groups.size(); s += threads) {
      used += groups.is_taken(s) ? 1 : 0;
    }
    team.team_reduce(Kokkos::Sum<std::uint64_t>(used));
    if (rank == 0) counters[2] = Kokkos::atomic_fetch_add(results.num_groups, used);
    team.team_barrier();
    for (std::uint32_t s = rank; s < groups.size(); s += threads) {
      if (!groups.is_taken(s)) continue;
      const std::uint64_t place = counters[2] + next(&counters[1]);
      results.rows[place] = groups.row(s);
      results.groups[place] = groups.group(s);
    }
  }
};

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
/// shares otherwise.
///
///     slots   groups x 4/3, at least 64; twice as many if they fit
///     shares  at most as many as run at once, and at most rows / (4 * slots)
///     tables  as many as fit, at most 32, so that there are 2048 rows for each partial group: all
///             teams merge them into the same few groups
template <class Exec>
[[nodiscard]] SharePlan plan_team_shares(const Exec& exec, std::uint64_t rows, std::uint64_t groups,
                                         std::uint64_t most) {
  const std::uint64_t least = std::max<std::uint64_t>(64, groups + groups / 3 + 1);
  if (least > most) return {};
  const std::uint64_t slots = std::min(2 * least, most);
  const std::uint64_t shares = std::min(backends::concurrent_teams(exec), rows / (4 * slots));
  if (shares == 0) return {};
  const std::uint64_t most_tables = rows / (2048 * shares * std::max<std::uint64_t>(1, groups));
  const std::uint64_t tables =
      std::clamp<std::uint64_t>(std::min(most / slots, most_tables), 1, 32);
  return {shares, static_cast<std::uint32_t>(slots), static_cast<std::uint32_t>(tables)};
}

/// Plans partial aggregation of partitioned rows, in tables of `slots` slots. If the estimate of
/// the groups is right, those of a part fill an eighth to a quarter of a table. There are at least
/// as many parts as teams run at once, and at least 2.
template <class Exec>
[[nodiscard]] SharePlan plan_team_parts(const Exec& exec, std::uint64_t rows, std::uint64_t groups,
                                        std::uint64_t slots) {
  const std::uint64_t parts = std::bit_ceil(std::max(
      {std::uint64_t{2}, backends::concurrent_teams(exec), std::min(rows, groups) / (slots / 4)}));
  return {parts, static_cast<std::uint32_t>(slots), 1,
          static_cast<unsigned>(std::bit_width(parts)) - 1};
}

/// Aggregates shares of the rows in scratch, then merges the groups of all teams and the spilled
/// rows in memory. `are_disjoint`: no two teams have rows of one group, so that without spilled
/// rows there is nothing to merge. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds, class Shares>
auto accumulate_team_shares(const Exec& exec, const Keys& keys, const Folds& folds,
                            const GroupHash<KeyOf<Keys>>& hash, const Shares& shares,
                            const SharePlan& plan, bool are_disjoint,
                            Workspace<MemorySpace>& workspace) {
  using Group = typename Folds::Group;
  using Kernel = AggregateInScratch<Exec, Keys, Folds, Row, Shares>;
  using Policy = Kokkos::TeamPolicy<Exec>;
  const std::uint64_t n = keys.size();
  const std::uint64_t room =
      std::min(checked_multiply(plan.shares, plan.share_slots() + std::uint64_t{1}, "groups"), n);
  const auto rows = take_partial_rows<Row>(exec, room, n, plan.shares + 2, workspace);
  const auto partial = workspace.template take<Group>(exec, room);
  const auto num_spilled =
      Kokkos::subview(rows.counters, std::make_pair<std::uint64_t>(1, plan.shares + 2));
  launch_tiles<true, Policy>("hashmill::group_by::in_scratch", exec, plan.shares,
                             Kernel::scratch_bytes(plan),
                             Kernel{keys, shares, folds, hash, rows.results(partial.data()), plan});
  backends::exclusive_scan(exec, num_spilled, workspace);
  const PartialCounts counts = fetch_counts(exec, rows);
  if (are_disjoint && counts.num_spilled == 0) {
    return keep_partial(exec, rows, partial, counts.num_groups);
  }
  if (counts.num_spilled != 0) {
    launch_tiles<true, Policy>(
        "hashmill::group_by::compact_spilled", exec, plan.shares, 0,
        CompactSpilled<Row, Shares>{shares, rows.spilled.data(), num_spilled.data(),
                                    rows.listed.data() + counts.num_groups});
  }
  const KeysOfRows<Keys, Row, MemorySpace> to_merge{keys, rows.listed.data(),
                                                    counts.num_groups + counts.num_spilled};
  const std::uint64_t expected = estimate_groups(exec, to_merge, hash, workspace);
  return merge_partial(exec, keys, folds, rows, partial, counts, expected, hash, workspace);
}

/// Many groups of integer keys: partitions rows by the hash of their key, so that a team has all
/// rows of its groups, and these fit its scratch. Reads and writes one key and one row number per
/// row and level of partitioning. Waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys, class Folds>
auto accumulate_team_parts(const Exec& exec, const Keys& keys, const Folds& folds,
                           const GroupHash<KeyOf<Keys>>& hash, const SharePlan& plan,
                           Workspace<MemorySpace>& workspace) {
  using Source = CarriedSource<Keys, Row, void>;
  const auto parts = partition_carried(exec, Source{keys}, hash, plan.part_bits, workspace);
  const PartShares<typename Source::record_type, void> shares{parts.records, parts.offsets};
  return accumulate_team_shares<Row, MemorySpace>(exec, keys, folds, hash, shares, plan, true,
                                                  workspace);
}

}  // namespace hashmill::detail
