#pragma once

#include <bit>
#include <cstddef>
#include <hashmill/backends/scan.hpp>
#include <hashmill/group_by/detail/carried_rows.hpp>
#include <hashmill/group_by/detail/merge_partial.hpp>
#include <hashmill/group_by/detail/partial_groups.hpp>

namespace hashmill::detail {

// Partial aggregation on GPUs: a team has its table in scratch.

/// A group in scratch: its accumulators and its representative row. The key is read in the caller's
/// row, so that one word claims a slot.
template <class Row, class Group>
struct ScratchSlot {
  Group group;
  Row row;
};

/// Groups and aggregates each team's share of the rows in a table in scratch. A row is spilled if
/// it finds `Shares::most_probes` slots taken by other groups.
template <class Exec, class Keys, class Folds, class Row, class Shares>
struct AggregateInScratch {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Group = typename Folds::Group;
  using Key = KeyOf<Keys>;
  using Slot = ScratchSlot<Row, Group>;

  Keys keys;
  Shares team_shares;
  Folds folds;
  GroupHash<Key> hash;
  PartialResults<Row, Group> results;
  std::uint32_t num_slots;  // a power of two

  [[nodiscard]] static std::size_t scratch_bytes(std::uint32_t slots) {
    return slots * sizeof(Slot) + counter_bytes + alignof(std::max_align_t);
  }

  struct Scratch {
    Slot* slots;
    std::uint64_t* counters;  // rows spilled, groups written, place of the first group
  };

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto* const memory = static_cast<char*>(team.team_scratch(0).get_shmem_aligned(
        num_slots * sizeof(Slot) + counter_bytes, alignof(std::max_align_t)));
    const Scratch scratch{reinterpret_cast<Slot*>(memory),
                          reinterpret_cast<std::uint64_t*>(memory + num_slots * sizeof(Slot))};
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const auto threads = static_cast<std::uint32_t>(team.team_size());
    for (std::uint32_t s = rank; s < num_slots; s += threads) {
      scratch.slots[s].row = no_row<Row>;
      folds.clear(&scratch.slots[s].group);
    }
    if (rank == 0) scratch.counters[0] = scratch.counters[1] = 0;
    team.team_barrier();

    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t begin = team_shares.begin(number), end = team_shares.begin(number + 1);
    for (std::uint64_t i = begin + rank; i < end; i += threads) {
      const Key key = team_shares.key(i);
      add(scratch, begin, team_shares.row(i), key, slot_of(key));
    }
    team.team_barrier();
    write(team, scratch);
    if (rank == 0) results.num_spilled[number] = scratch.counters[0];
  }

 private:
  static constexpr std::size_t counter_bytes = 4 * sizeof(std::uint64_t);

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t slot_of(const Key& key) const {
    return static_cast<std::uint32_t>(hash(key) >> 32) & (num_slots - 1);
  }
  /// Takes the next number of a counter of the team.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t next(std::uint64_t* counter) {
    return Kokkos::atomic_fetch_add(counter, std::uint64_t{1});
  }
  /// Whether a slot is the group of row i. A free slot becomes that group.
  KOKKOS_FORCEINLINE_FUNCTION bool claim(Slot& slot, Row i, const Key& key) const {
    const Row was = Kokkos::atomic_compare_exchange(&slot.row, no_row<Row>, i);
    return was == no_row<Row> || GroupEqual<Key>()(keys(was), key);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(const Scratch& scratch, std::uint64_t begin, Row row,
                                       const Key& key, std::uint32_t s) const {
    for (unsigned probe = 0; probe < Shares::most_probes; ++probe) {
      Slot& slot = scratch.slots[s];
      if (claim(slot, row, key)) {
        folds.template add<Shared, false>(&slot.group, &slot.group, row);
        return;
      }
      s = (s + 1) & (num_slots - 1);
    }
    results.spilled[begin + next(&scratch.counters[0])] = row;
  }
  /// Appends the team's groups to those of other teams.
  KOKKOS_FORCEINLINE_FUNCTION void write(const Member& team, const Scratch& scratch) const {
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const auto threads = static_cast<std::uint32_t>(team.team_size());
    std::uint64_t used = 0;
    for (std::uint32_t s = rank; s < num_slots; s += threads) {
      used += scratch.slots[s].row == no_row<Row> ? 0 : 1;
    }
    team.team_reduce(Kokkos::Sum<std::uint64_t>(used));
    if (rank == 0) scratch.counters[2] = Kokkos::atomic_fetch_add(results.num_groups, used);
    team.team_barrier();
    for (std::uint32_t s = rank; s < num_slots; s += threads) {
      const Slot& slot = scratch.slots[s];
      if (slot.row == no_row<Row>) continue;
      const std::uint64_t place = scratch.counters[2] + next(&scratch.counters[1]);
      results.rows[place] = slot.row;
      results.groups[place] = slot.group;
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

/// Plans partial aggregation without partitioning. It pays off if the groups fit half of a team's
/// slots and a team has at least 4 rows per slot; there are 0 shares otherwise.
///
///     slots   a power of two >= 2 * groups, at least 64; up to 4 times as many if they fit scratch
///     shares  at most as many as run at once, and at most rows / (4 * slots)
template <class Exec>
[[nodiscard]] SharePlan plan_team_shares(const Exec& exec, std::uint64_t rows, std::uint64_t groups,
                                         std::size_t slot_bytes) {
  const std::size_t room = backends::team_shape<Exec>().scratch_bytes - 64;
  const std::uint64_t most = std::bit_floor<std::uint64_t>(room / slot_bytes);
  const std::uint64_t least = std::max<std::uint64_t>(64, std::bit_ceil(2 * groups));
  if (least > most) return {};
  const std::uint64_t slots = std::max(least, std::min(4 * least, most));
  const std::uint64_t teams = std::min(backends::concurrent_teams(exec), rows / (4 * slots));
  return {teams, static_cast<std::uint32_t>(slots)};
}

/// Plans partial aggregation of partitioned rows. If the estimate of the groups is right, those of
/// a part fill an eighth to a quarter of the scratch. There are at least as many parts as teams run
/// at once, and at least 2.
template <class Exec>
[[nodiscard]] SharePlan plan_team_parts(const Exec& exec, std::uint64_t rows, std::uint64_t groups,
                                        std::size_t slot_bytes) {
  const std::size_t room = backends::team_shape<Exec>().scratch_bytes - 64;
  const std::uint64_t slots = std::bit_floor<std::uint64_t>(room / slot_bytes);
  const std::uint64_t parts = std::bit_ceil(std::max(
      {std::uint64_t{2}, backends::concurrent_teams(exec), std::min(rows, groups) / (slots / 4)}));
  return {parts, static_cast<std::uint32_t>(slots),
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
  const std::uint64_t room = std::min(checked_multiply(plan.shares, plan.slots, "groups"), n);
  const auto rows = take_partial_rows<Row>(exec, room, n, plan.shares + 2, workspace);
  const auto partial = workspace.template take<Group>(exec, room);
  const auto num_spilled =
      Kokkos::subview(rows.counters, std::make_pair<std::uint64_t>(1, plan.shares + 2));
  launch_tiles<true, Policy>(
      "hashmill::group_by::in_scratch", exec, plan.shares, Kernel::scratch_bytes(plan.slots),
      Kernel{keys, shares, folds, hash, rows.results(partial.data()), plan.slots});
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
