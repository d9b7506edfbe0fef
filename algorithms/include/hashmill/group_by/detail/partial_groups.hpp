#pragma once

#include <bit>
#include <cstddef>
#include <hashmill/group_by/detail/accumulate.hpp>
#include <hashmill/primitives/detail/prefetch_elements.hpp>
#include <hashmill/primitives/detail/records.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>

namespace hashmill::detail {

// Partial aggregation: if groups are few, teams group and aggregate their rows in scratch. Only the
// partial groups go on to the tables in memory. Velox and DuckDB do this with one table per thread;
// so do hosts here, see aggregate_host.hpp.

/// Where teams write their partial groups, and the rows for which they had no room.
template <class Row, class Group>
struct PartialResults {
  Row* rows;                   // a representative of each partial group …
  Group* groups;               // … and its accumulators
  std::uint64_t* num_partial;  // number of partial groups
  Row* spilled;                // rows without room; a team's begin where its share begins
  std::uint64_t* num_spilled;  // number of them, per team
};

/// A group in scratch: its accumulators and its representative row. The key is read in the caller's
/// row, so that one word claims a slot.
template <class Row, class Group>
struct ScratchSlot {
  Group group;
  Row row;
};

/// Divides rows evenly: each team has consecutive rows.
template <class Keys, class Row>
struct EvenShares {
  static constexpr unsigned most_probes = 8;
  Keys keys;
  std::uint64_t teams;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin(std::uint64_t team) const {
    const std::uint64_t share = (keys.size() + teams - 1) / teams;
    return team * share < keys.size() ? team * share : keys.size();
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row(std::uint64_t i) const {
    return static_cast<Row>(i);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION decltype(auto) key(std::uint64_t i) const {
    return keys(i);
  }
  /// Adds row i's values; hosts only.
  template <class Folds, class Group>
  void add(const Folds& folds, Group* group, std::uint64_t i) const {
    folds.template add<AloneOnHost, false>(group, group, i);
  }
  /// Prefetches nothing: values of consecutive rows are prefetched by `prefetch_ahead`. Hosts only.
  template <class Folds>
  void prefetch(const Folds&, std::uint64_t) const {}
  /// Called by a loop at rows [i, i + count): prefetches rows some batches later.
  template <class Folds>
  void prefetch_ahead(const Folds& folds, std::uint64_t i, std::uint64_t count) const {
    prefetch_elements(keys, i, count);
    folds.prefetch_ahead(i, count);
  }
};

/// Rows with their keys that were partitioned by the hash of the key: one part per team.
template <class Key, class Row>
struct PartShares {
  static constexpr unsigned most_probes = 128;  // high: one row without room merges all groups
  const RecordPair<Key, Row>* records;
  const std::uint64_t* offsets;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin(std::uint64_t team) const {
    return offsets[team];
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row(std::uint64_t i) const {
    return records[i].second;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Key& key(std::uint64_t i) const {
    return records[i].first;
  }
};

/// The part of a record: the highest bits of the hash of its key, to which `Key` points.
///
/// The slots of a part's table use the bits from 32 up. These are other bits for up to 2^29 groups;
/// with more groups, tables overflow and more groups are merged. Lower bits would need one more
/// step of the hash.
template <auto Key, class Hash>
struct HighestHashBits {
  Hash hash;
  unsigned shift;
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Record& record) const {
    return hash(record.*Key) >> shift;
  }
};

/// Groups and aggregates each team's share of the rows in a table in scratch. A row is spilled if
/// it finds `Shares::most_probes` slots taken by other groups. Hosts use AggregateOnHost instead.
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
    if (rank == 0) scratch.counters[2] = Kokkos::atomic_fetch_add(results.num_partial, used);
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

/// How rows are divided among teams, and the slots that a team has.
struct PartialPlan {
  std::uint64_t teams = 0;  // 0: partial aggregation does not pay off
  std::uint32_t slots = 0;  // per team
  unsigned part_bits = 0;   // log2 of the parts if rows are partitioned first, else 0
};

/// Plans partial aggregation without partitioning. It pays off if the groups fit half of a team's
/// slots and a team has at least 4 rows per slot; `teams` is 0 otherwise.
///
///     slots   a power of two >= 2 * groups, at least 64; up to 4 times as many if they fit scratch
///     teams   at most as many as run at once, and at most rows / (4 * slots)
template <class Exec>
[[nodiscard]] PartialPlan plan_partial(const Exec& exec, std::uint64_t rows, std::uint64_t groups,
                                       std::size_t slot_bytes) {
  const std::size_t room = backends::team_shape<Exec>().scratch_bytes - 64;
  const std::uint64_t most = std::bit_floor<std::uint64_t>(room / slot_bytes);
  const std::uint64_t least = std::max<std::uint64_t>(64, std::bit_ceil(2 * groups));
  if (least > most) return {};
  const std::uint64_t slots = std::max(least, std::min(4 * least, most));
  const std::uint64_t teams = std::min(backends::concurrent_teams(exec), rows / (4 * slots));
  return {teams, static_cast<std::uint32_t>(slots)};
}

/// The least number of rows for which a pass of partitioning pays off.
inline constexpr std::uint64_t least_rows_to_partition = std::uint64_t{1} << 18;

/// Plans partial aggregation of partitioned rows. If the estimate of the groups is right, those of
/// a part fill an eighth to a quarter of the scratch. There are at least as many parts as teams run
/// at once, and at least 2.
template <class Exec>
[[nodiscard]] PartialPlan plan_parts(const Exec& exec, std::uint64_t rows, std::uint64_t groups,
                                     std::size_t slot_bytes) {
  const std::size_t room = backends::team_shape<Exec>().scratch_bytes - 64;
  const std::uint64_t slots = std::bit_floor<std::uint64_t>(room / slot_bytes);
  const std::uint64_t parts = std::bit_ceil(std::max(
      {std::uint64_t{2}, backends::concurrent_teams(exec), std::min(rows, groups) / (slots / 4)}));
  return {parts, static_cast<std::uint32_t>(slots),
          static_cast<unsigned>(std::bit_width(parts)) - 1};
}

}  // namespace hashmill::detail
