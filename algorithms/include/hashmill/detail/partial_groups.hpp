#pragma once

#include <bit>
#include <cmath>
#include <hashmill/detail/accumulate.hpp>
#include <hashmill/detail/bitmap.hpp>
#include <hashmill/detail/row_keys.hpp>

namespace hashmill::detail {

// Partial aggregation: while groups are few, teams group and aggregate their rows in scratch, and
// only what they come to goes on to the tables in memory. (Velox and DuckDB do so with a table for
// each thread.)

/// Marks the hash of each row of a sample.
template <class Keys, class Hash>
struct MarkSample {
  Keys keys;
  Hash hash;
  std::uint64_t stride;
  Bitmap seen;
  unsigned shift;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& num_new) const {
    const std::uint64_t bit = hash(keys(static_cast<std::uint64_t>(i) * stride)) >> shift;
    if (!seen.test_and_set(bit)) ++num_new;
  }
};

/// About how many groups there are, from a sample of 2^16 rows; all different is `rows`. Waits for
/// `exec`.
template <class Exec, class Keys, class Hash, class MemorySpace>
[[nodiscard]] std::uint64_t estimate_groups(const Exec& exec, const Keys& keys, const Hash& hash,
                                            Workspace<MemorySpace>& workspace) {
  constexpr std::uint64_t most = std::uint64_t{1} << 16;
  constexpr unsigned bits = 20;
  const typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto words =
      workspace.template take<std::uint32_t>(exec, Bitmap::words_for(std::uint64_t{1} << bits));
  Kokkos::deep_copy(exec, words, std::uint32_t{0});
  const std::uint64_t sample = std::min(most, keys.size());
  std::uint64_t different = 0;
  Kokkos::parallel_reduce(
      "hashmill::group_by::sample", backends::range(exec, sample),
      MarkSample<Keys, Hash>{keys, hash, keys.size() / sample, {words.data()}, 64 - bits},
      different);
  // Of g equally frequent groups a sample of s rows shows g (1 - exp(-s / g)): find g by halving.
  const auto s = static_cast<double>(sample);
  double low = 1, high = static_cast<double>(keys.size());
  for (int step = 0; step < 60; ++step) {
    const double g = (low + high) / 2;
    (g * -std::expm1(-s / g) < static_cast<double>(different) ? low : high) = g;
  }
  return static_cast<std::uint64_t>(high) + 1;
}

/// Where teams leave what they aggregated and what they had no room for.
template <class Row, class Group>
struct PartialResults {
  Row* rows;                   // a representative of each partial group …
  Group* groups;               // … and its accumulators
  std::uint64_t* num_partial;  // how many there are
  Row* spilled;                // rows left to others, from where each team's share begins
  std::uint64_t* num_spilled;  // how many of each team
};

/// Groups and aggregates each team's share of the rows in a table in scratch. A slot has the row
/// that stands for its group; a row that finds `most_probes` slots taken by others is left over.
template <class Exec, class Keys, class Folds, class Row>
struct AggregateInScratch {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Group = typename Folds::Group;
  using Key = KeyOf<Keys>;
  using How = std::conditional_t<backends::has_wide_teams<Exec>, Shared, Alone>;
  static constexpr unsigned most_probes = 8;
  static constexpr std::size_t slot_bytes = sizeof(Group) + sizeof(Row);
  static constexpr std::size_t counter_bytes = 4 * sizeof(std::uint64_t);

  Keys keys;
  Folds folds;
  PartialResults<Row, Group> results;
  std::uint32_t num_slots;  // a power of two

  struct Scratch {
    Group* groups;
    Row* slots;
    std::uint64_t* counters;  // rows spilled, groups written, place of the first group
  };

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    constexpr int level = backends::has_wide_teams<Exec> ? 0 : 1;
    auto* const memory = static_cast<char*>(
        team.team_scratch(level).get_shmem_aligned(num_slots * slot_bytes + counter_bytes, 16));
    const Scratch scratch{reinterpret_cast<Group*>(memory),
                          reinterpret_cast<Row*>(memory + num_slots * sizeof(Group)),
                          reinterpret_cast<std::uint64_t*>(memory + num_slots * slot_bytes)};
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const auto threads = static_cast<std::uint32_t>(team.team_size());
    for (std::uint32_t s = rank; s < num_slots; s += threads) {
      scratch.slots[s] = no_row<Row>;
      folds.clear(scratch.groups + s);
    }
    if (rank == 0) scratch.counters[0] = scratch.counters[1] = 0;
    team.team_barrier();

    const auto league = static_cast<std::uint64_t>(team.league_size());
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t share = (keys.size() + league - 1) / league;
    const std::uint64_t begin = number * share < keys.size() ? number * share : keys.size();
    const std::uint64_t end = begin + share < keys.size() ? begin + share : keys.size();
    for (std::uint64_t i = begin + rank; i < end; i += threads) {
      if (!add(scratch, i)) {
        results.spilled[begin + next(&scratch.counters[0])] = static_cast<Row>(i);
      }
    }
    team.team_barrier();
    write(team, scratch);
    if (rank == 0) results.num_spilled[number] = scratch.counters[0];
  }

 private:
  /// Takes a number of the team.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t next(std::uint64_t* counter) {
    if constexpr (backends::has_wide_teams<Exec>) {
      return Kokkos::atomic_fetch_add(counter, std::uint64_t{1});
    } else {
      return (*counter)++;
    }
  }
  /// The row that a slot has, after it was given row i if it had none.
  KOKKOS_FORCEINLINE_FUNCTION static Row claim(Row* slot, Row i) {
    if constexpr (backends::has_wide_teams<Exec>) {
      const Row was = Kokkos::atomic_compare_exchange(slot, no_row<Row>, i);
      return was == no_row<Row> ? i : was;
    } else {
      if (*slot == no_row<Row>) *slot = i;
      return *slot;
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION bool add(const Scratch& scratch, std::uint64_t i) const {
    const Key key = keys(i);
    auto s = static_cast<std::uint32_t>(GroupHash<Key>()(key) >> 32) & (num_slots - 1);
    for (unsigned probe = 0; probe < most_probes; ++probe) {
      const Row row = claim(scratch.slots + s, static_cast<Row>(i));
      if (row == i || GroupEqual<Key>()(keys(row), key)) {
        folds.template add<How, false>(scratch.groups + s, scratch.groups + s, i);
        return true;
      }
      s = (s + 1) & (num_slots - 1);
    }
    return false;
  }
  /// Appends the team's groups to those of others.
  KOKKOS_FORCEINLINE_FUNCTION void write(const Member& team, const Scratch& scratch) const {
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const auto threads = static_cast<std::uint32_t>(team.team_size());
    std::uint64_t used = 0;
    for (std::uint32_t s = rank; s < num_slots; s += threads) {
      used += scratch.slots[s] == no_row<Row> ? 0 : 1;
    }
    team.team_reduce(Kokkos::Sum<std::uint64_t>(used));
    if (rank == 0) scratch.counters[2] = Kokkos::atomic_fetch_add(results.num_partial, used);
    team.team_barrier();
    for (std::uint32_t s = rank; s < num_slots; s += threads) {
      if (scratch.slots[s] == no_row<Row>) continue;
      const std::uint64_t place = scratch.counters[2] + next(&scratch.counters[1]);
      results.rows[place] = scratch.slots[s];
      results.groups[place] = scratch.groups[s];
    }
  }
};

/// Moves the rows that a team left over behind those of the teams before it.
template <class Row>
struct CompactSpilled {
  const Row* spilled;
  const std::uint64_t* places;
  std::uint64_t share;
  Row* rows;
  template <class Member>
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t begin = places[number], end = places[number + 1];
    const auto threads = static_cast<std::uint64_t>(team.team_size());
    for (std::uint64_t i = begin + team.team_rank(); i < end; i += threads) {
      rows[i] = spilled[number * share + (i - begin)];
    }
  }
};

/// How rows are shared out among teams, and slots of a team.
struct PartialPlan {
  std::uint64_t teams = 0;  // 0: there is no use in partial aggregation
  std::uint32_t slots = 0;
};

/// Partial aggregation pays while the groups fit a team's table half full, and its share of the
/// rows is several times as many.
template <class Exec>
[[nodiscard]] PartialPlan plan_partial(const Exec& exec, std::uint64_t rows, std::uint64_t groups,
                                       std::size_t slot_bytes) {
  const auto threads = static_cast<std::uint64_t>(backends::team_threads<Exec>);
  const std::uint64_t concurrency =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(exec.concurrency()) / threads);
  std::size_t room = backends::private_cache_bytes() / 2;
  if constexpr (backends::has_wide_teams<Exec>) {
    room = backends::team_shape<Exec>().scratch_bytes - 64;
  } else {
    room = std::max<std::size_t>(room, backends::last_level_cache_bytes() / 2 / concurrency);
  }
  const std::uint64_t most = std::bit_floor<std::uint64_t>(room / slot_bytes);
  const std::uint64_t slots = std::max<std::uint64_t>(64, std::bit_ceil(2 * groups));
  if (slots > most) return {};
  const std::uint64_t teams = std::min(concurrency, rows / (4 * slots));
  return {teams, static_cast<std::uint32_t>(slots)};
}

}  // namespace hashmill::detail
