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

/// Adds what the threads of a team have counted to counters in memory, once per team.
template <class Exec, class Member>
KOKKOS_FORCEINLINE_FUNCTION void add_of_team(const Member& team, InsertResult counts,
                                             const OutcomeCounters& counters) {
  if constexpr (backends::has_wide_teams<Exec>) {
    team.team_reduce(Kokkos::Sum<std::uint64_t>(counts.inserted));
    team.team_reduce(Kokkos::Sum<std::uint64_t>(counts.existing));
    team.team_reduce(Kokkos::Sum<std::uint64_t>(counts.failed));
  }
  if (team.team_rank() == 0) counters.add(counts);
}

/// Items per team. The counters in memory are updated once per team.
inline constexpr std::uint64_t tallied_items = 4096;

/// Whether a device's teams take one item for each thread, since with more some would have none.
template <class Exec>
[[nodiscard]] bool are_few_items(const Exec& exec, std::uint64_t num_items) {
  return backends::has_wide_teams<Exec> &&
         num_items < tallied_items * backends::concurrent_teams(exec);
}

/// Runs `each(i)`, which returns an InsertOutcome, for a tile of items and adds up the outcomes.
/// Adjacent tiles run at about the same time, so items in table order find each other's lines in
/// cache.
///
/// The number of items is a constant, for which nvcc makes another loop: with a variable one,
/// inserts of 2^26 keys of 4 bytes into a LinearProbing take 9 % longer (H200).
template <class Exec, class Each, std::uint64_t TileItems>
struct TallyTile {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Each each;
  std::uint64_t num_items;
  OutcomeCounters counters;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * TileItems;
    const std::uint64_t last = first + TileItems < num_items ? first + TileItems : num_items;
    InsertResult counts;
    if constexpr (backends::has_wide_teams<Exec>) {
      for (std::uint64_t i = first + team.team_rank(); i < last; i += team.team_size()) {
        tally(counts, each(i));
      }
    } else {
      run_on_host(first, last, counts);
    }
    add_of_team<Exec>(team, counts, counters);
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
  const auto run = [&]<std::uint64_t Items>() {
    launch_even_tiles(label, exec, (num_items + Items - 1) / Items,
                      TallyTile<Exec, Each, Items>{each, num_items, counters});
  };
  if constexpr (backends::has_wide_teams<Exec>) {
    constexpr std::uint64_t one_each = backends::team_threads<Exec>;
    if (are_few_items(exec, num_items)) return run.template operator()<one_each>();
  }
  run.template operator()<tallied_items>();
}

}  // namespace hashmill::detail
