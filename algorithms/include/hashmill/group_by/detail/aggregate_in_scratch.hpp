#pragma once

#include <cstddef>
#include <hashmill/backends/big_teams.hpp>
#include <hashmill/group_by/detail/carried_rows.hpp>
#include <hashmill/group_by/detail/partial_groups.hpp>
#include <hashmill/group_by/detail/scratch_groups.hpp>
#include <hashmill/partition/detail/tiles.hpp>

namespace hashmill::detail {

// Partial aggregation on GPUs: a team has its table in scratch.

/// Teams that aggregate in scratch. Two of them have all scratch of a multiprocessor, so that one
/// level of partitioning suffices for about 10^6 groups.
template <class Exec>
using AggregateTeams = backends::BigTeams<Exec, 512, 2>;

/// What the threads of a team count together.
struct TeamCounters {
  std::uint64_t spilled;  // rows without room
  std::uint64_t place;    // of the team's first group among those of all teams
  std::uint32_t groups;   // slots that are taken
  std::uint32_t written;  // groups that have their places
};

/// The scratch that a team's counters take, with their alignment.
inline constexpr std::size_t team_counter_bytes = 2 * sizeof(TeamCounters);

/// The most slots that a team's tables may have.
template <class Keys, class Row, class Group, class Exec>
[[nodiscard]] std::uint64_t most_team_slots(const Exec& exec) {
  return ScratchGroups<Exec, Keys, Row, Group>::slots_in(AggregateTeams<Exec>::scratch_limit(exec) -
                                                         team_counter_bytes);
}

/// Shares for teams that are slices of the records of a source. `Carried` is the type of the values
/// in the records, as CarriedValue says.
template <class Records, class Carried>
struct TeamSlices {
  static constexpr unsigned most_probes = 8;
  using Source = Records;
  using Value = Carried;
  Source source;
  std::uint64_t shares;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin(std::uint64_t share) const {
    return begin_of_share(source.keys.size(), shares, share);
  }
};

/// Shares for teams that are the parts of partitioned records.
template <class Record, class Carried>
struct TeamParts {
  static constexpr unsigned most_probes = 128;  // high: rows without room need a table in memory
  using Source = RecordSource<Record>;
  using Value = Carried;
  Source source;
  const std::uint64_t* offsets;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin(std::uint64_t share) const {
    return offsets[share];
  }
};

/// Groups and aggregates each team's share of the rows in a table in scratch. A row is spilled if
/// it finds `Shares::most_probes` slots taken by other groups. A thread reads several records
/// before it adds the first. Values that these do not carry are read in the caller's columns.
template <class Exec, class Keys, class Folds, class Row, class Shares>
struct AggregateInScratch {
  using Teams = AggregateTeams<Exec>;
  using Member = typename Teams::Member;
  using Group = typename Folds::Group;
  using Groups = ScratchGroups<Exec, Keys, Row, Group>;
  using Record = typename Shares::Source::record_type;

  Keys keys;
  Shares team_shares;
  Folds folds;
  GroupHash<KeyOf<Keys>> hash;
  PartialResults<Row, Group> results;
  SharePlan plan;

  [[nodiscard]] static std::size_t scratch_bytes(const SharePlan& plan) {
    return Groups::bytes(plan.share_slots()) + team_counter_bytes;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    auto& counters = *static_cast<TeamCounters*>(
        team.team_shmem().get_shmem_aligned(sizeof(TeamCounters), alignof(TeamCounters)));
    const Groups groups(team, plan);
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    for (std::uint32_t s = rank; s < groups.size(); s += threads) groups.clear(folds, s);
    if (rank == 0) counters = TeamCounters{};
    team.team_barrier();
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    add_share(rank, number, groups, counters);
    team.team_barrier();
    write(team, groups, counters);
    if (rank == 0) results.num_spilled[number] = counters.spilled;
  }

 private:
  static constexpr std::uint32_t threads = Teams::threads;
  /// Records that a thread reads at once: up to 64 bytes of integer keys and values.
  static constexpr int batch = !fits_slot<KeyOf<Keys>> ? 1 : sizeof(Record) <= 16 ? 4 : 2;

  /// Adds the rows of a share, in tiles whose records have numbers of 32 bits.
  KOKKOS_FORCEINLINE_FUNCTION void add_share(std::uint32_t rank, std::uint64_t number,
                                             const Groups& groups, TeamCounters& counters) const {
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    const std::uint64_t begin = team_shares.begin(number), end = team_shares.begin(number + 1);
    Tile tile{};
    for (tile.begin = begin; tile.begin < end; tile.begin += most) {
      tile.count = end - tile.begin < most ? end - tile.begin : most;
      for_each_record<threads, batch>(team_shares.source, tile, rank, [&](const Record& record) {
        add(record, begin, groups, counters);
      });
    }
  }
  /// Adds a row of the share that begins at `begin`.
  KOKKOS_FORCEINLINE_FUNCTION void add(const Record& record, std::uint64_t begin,
                                       const Groups& groups, TeamCounters& counters) const {
    Group* const group =
        groups.find(keys, record.key, record.row, slot_bits(record.key), Shares::most_probes);
    if (group != nullptr) {
      add_carried<typename Shares::Value, SharedInScratch<Exec>>(folds, group, record);
    } else {
      results.spilled[begin + Kokkos::atomic_fetch_add(&counters.spilled, std::uint64_t{1})] =
          record.row;
    }
  }
  /// Bits of the hash, from the highest on that does not choose the part.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t slot_bits(const KeyOf<Keys>& key) const {
    return static_cast<std::uint32_t>(hash(key) << plan.part_bits >> 32);
  }
  /// Appends the team's groups to those of other teams.
  KOKKOS_FORCEINLINE_FUNCTION void write(const Member& team, const Groups& groups,
                                         TeamCounters& counters) const {
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    std::uint32_t taken = 0;
    for (std::uint32_t s = rank; s < groups.size(); s += threads) {
      taken += groups.is_taken(s) ? 1 : 0;
    }
    if (taken != 0) static_cast<void>(backends::team_fetch_add<Exec>(&counters.groups, taken));
    team.team_barrier();
    if (rank == 0) {
      counters.place = Kokkos::atomic_fetch_add(results.num_groups, std::uint64_t{counters.groups});
    }
    team.team_barrier();
    for (std::uint32_t s = rank; s < groups.size(); s += threads) {
      if (!groups.is_taken(s)) continue;
      const std::uint64_t place =
          counters.place + backends::team_fetch_add<Exec>(&counters.written, 1U);
      results.rows[place] = groups.row(s);
      results.groups[place] = groups.group(s);
    }
  }
};

}  // namespace hashmill::detail
