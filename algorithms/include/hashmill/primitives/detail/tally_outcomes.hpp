#pragma once

#include <algorithm>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>
#include <hashmill/primitives/insert_result.hpp>

namespace hashmill::detail {

/// Counters of outcomes in memory, to which kernels add.
struct OutcomeCounters {
  InsertResult* result;

  KOKKOS_FORCEINLINE_FUNCTION void add(const InsertResult& more) const {
    if (more.inserted != 0) Kokkos::atomic_add(&result->inserted, more.inserted);
    if (more.existing != 0) Kokkos::atomic_add(&result->existing, more.existing);
    if (more.failed != 0) Kokkos::atomic_add(&result->failed, more.failed);
  }
};

/// Adds outcomes that the host knows to counters in memory.
struct AddOutcomes {
  OutcomeCounters counters;
  InsertResult result;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { counters.add(result); }
};

/// Launches AddOutcomes; asynchronous on `exec`.
template <class Exec>
void add_outcomes(const Exec& exec, const InsertResult& result, const OutcomeCounters& counters) {
  backends::for_each_index("hashmill::add_outcomes", exec, 1, AddOutcomes{counters, result});
}

/// Adds one outcome to a thread's own counters.
KOKKOS_FORCEINLINE_FUNCTION void tally(InsertResult& counts, InsertOutcome outcome) {
  counts.inserted += outcome == InsertOutcome::inserted ? 1 : 0;
  counts.existing += outcome == InsertOutcome::existing ? 1 : 0;
  counts.failed += outcome == InsertOutcome::full || outcome == InsertOutcome::refused ? 1 : 0;
}

/// Items per team at most. The counters in memory are updated once per team.
inline constexpr std::uint64_t tallied_items = 4096;

/// Items per team. Of few items, a device's teams have fewer, so that all teams that run at once
/// have some, and each thread at least one.
template <class Exec>
[[nodiscard]] std::uint64_t tallied_items_of(const Exec& exec, std::uint64_t num_items) {
  if (!backends::has_wide_teams<Exec>) return tallied_items;
  return std::clamp<std::uint64_t>(num_items / (2 * backends::concurrent_teams(exec)),
                                   backends::team_threads<Exec>, tallied_items);
}

/// Runs `each(i)`, which returns an InsertOutcome, for a tile of items and adds up the outcomes.
/// Adjacent tiles run at about the same time, so items in table order find each other's lines in
/// cache.
template <class Exec, class Each>
struct TallyTile {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Each each;
  std::uint64_t num_items;
  std::uint64_t tile_items;
  OutcomeCounters counters;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * tile_items;
    const std::uint64_t last = first + tile_items < num_items ? first + tile_items : num_items;
    InsertResult counts;
    if constexpr (backends::has_wide_teams<Exec>) {
      for (std::uint64_t i = first + team.team_rank(); i < last; i += team.team_size()) {
        tally(counts, each(i));
      }
      team.team_reduce(Kokkos::Sum<std::uint64_t>(counts.inserted));
      team.team_reduce(Kokkos::Sum<std::uint64_t>(counts.existing));
      team.team_reduce(Kokkos::Sum<std::uint64_t>(counts.failed));
    } else {
      run_on_host(first, last, counts);
    }
    if (team.team_rank() == 0) counters.add(counts);
  }

 private:
  void run_on_host(std::uint64_t first, std::uint64_t last, InsertResult& counts) const {
    constexpr std::uint64_t in_flight = 32;
    for (std::uint64_t i = first; i < last; i += in_flight) {
      const std::uint64_t end = i + in_flight < last ? i + in_flight : last;
      for (std::uint64_t j = i; j < end; ++j) each.prefetch(j);
      for (std::uint64_t j = i; j < end; ++j) tally(counts, each(j));
    }
  }
};

/// Runs `each(i)` for all items and adds the outcomes to `counters`. Asynchronous. Throws
/// CapacityError when there are too many tiles for one launch.
template <class Exec, class Each>
void tally_items(const char* label, const Exec& exec, std::uint64_t num_items, const Each& each,
                 const OutcomeCounters& counters) {
  const std::uint64_t tile = tallied_items_of(exec, num_items);
  launch_even_tiles(label, exec, (num_items + tile - 1) / tile,
                    TallyTile<Exec, Each>{each, num_items, tile, counters});
}

}  // namespace hashmill::detail
