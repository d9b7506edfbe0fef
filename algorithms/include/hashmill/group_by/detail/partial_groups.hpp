#pragma once

#include <bit>
#include <cstddef>
#include <hashmill/group_by/detail/accumulate.hpp>
#include <hashmill/primitives/detail/prefetch_elements.hpp>
#include <hashmill/primitives/detail/records.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>

namespace hashmill::detail {

// Partial aggregation: while groups are few, teams group and aggregate their rows in scratch, and
// only what they come to goes on to the tables in memory. (Velox and DuckDB do so with a table for
// each thread; so do hosts here, aggregate_host.hpp.)

/// Where teams leave what they aggregated and what they had no room for.
template <class Row, class Group>
struct PartialResults {
  Row* rows;                   // a representative of each partial group …
  Group* groups;               // … and its accumulators
  std::uint64_t* num_partial;  // how many there are
  Row* spilled;                // rows left to others, from where each team's share begins
  std::uint64_t* num_spilled;  // how many of each team
};

/// A group in scratch: its accumulators and the row that stands for it. The key is read where the
/// row has it, so that claiming a slot is one word.
template <class Row, class Group>
struct ScratchSlot {
  Group group;
  Row row;
};

/// Consecutive rows for each team.
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
  /// Adds row i's values; hosts only, as the next, which has nothing to ask for.
  template <class Folds, class Group>
  void add(const Folds& folds, Group* group, std::uint64_t i) const {
    folds.template add<AloneOnHost, false>(group, group, i);
  }
  template <class Folds>
  void prefetch(const Folds&, std::uint64_t) const {}
  /// For a loop that has come to rows [i, i + count): asks for those some batches later.
  template <class Folds>
  void prefetch_ahead(const Folds& folds, std::uint64_t i, std::uint64_t count) const {
    prefetch_elements(keys, i, count);
    folds.prefetch_ahead(i, count);
  }
};

/// Rows that were partitioned by the hash of their key, with it: a part for each team.
template <class Key, class Row>
struct PartShares {
  static constexpr unsigned most_probes = 128;  // what finds no room makes all groups be merged
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

/// Part of a record: the highest bits of the hash of its key, which `Key` points to. The slots of a
/// part's table are the bits from 32 up: others, of up to 2^29 groups. (Beyond, tables overflow and
/// more groups are merged. Lower bits would take one more step of the hash.)
template <auto Key, class Hash>
struct HighestHashBits {
  Hash hash;
  unsigned shift;
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Record& record) const {
    return hash(record.*Key) >> shift;
  }
};

/// Groups and aggregates each team's share of the rows in a table in scratch. A row that finds
/// `Shares::most_probes` slots taken by others is left over. (Hosts: AggregateOnHost.)
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
  /// Takes a number of the team.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t next(std::uint64_t* counter) {
    return Kokkos::atomic_fetch_add(counter, std::uint64_t{1});
  }
  /// Whether a slot is the group of row i, which it becomes if it was none.
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
  /// Appends the team's groups to those of others.
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

/// Moves the rows that a team left over behind those of the teams before it.
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

/// How rows are shared out among teams, and slots of a team.
struct PartialPlan {
  std::uint64_t teams = 0;  // 0: there is no use in partial aggregation
  std::uint32_t slots = 0;
  unsigned part_bits = 0;  // log2 of the parts, where rows are partitioned first
};

/// Partial aggregation pays while the groups fit half of a team's slots, and its share of the rows
/// is several times as many.
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

/// Fewer rows are not worth a pass of partitioning.
inline constexpr std::uint64_t least_rows_to_partition = std::uint64_t{1} << 18;

/// Parts of so many groups that they fill an eighth to a quarter of the scratch, if the estimate is
/// right, and as many as there are teams at least.
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
