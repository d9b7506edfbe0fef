#pragma once

#include <hashmill/linear_probing/detail/range_slots.hpp>
#include <hashmill/partition/detail/partition_records.hpp>
#include <hashmill/partition/detail/tiles.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>
#include <hashmill/primitives/detail/tally_outcomes.hpp>

namespace hashmill::detail {

/// What a team counts in its scratch. It counts the inserted records by what is left.
struct RangeCounts {
  std::uint32_t deferred;
  std::uint32_t existing;
  std::uint32_t failed;
};

/// Records that a thread reads at a time.
template <class Record>
inline constexpr int range_batch = sizeof(Record) <= 16 ? 4 : 2;

/// Inserts the records of a range of windows in the scratch of a team:
///
///     1. the windows come into scratch, or are made empty there
///     2. the records are read once, a tile at a time, and take slots in scratch
///     3. the windows go back, if they have changed
///
/// All accesses to memory are coalesced, and all atomics but a few per team are in scratch.
/// Deferred are records that find the windows up to the end of the range full. They are moved to
/// the front of the range's records, and another kernel inserts them (see InsertDeferredTeam).
///
/// If very many records have one home, the range has far more of them than slots. The team then
/// defers the first ones, which stay where they are, and handles `most_records_per_slot` of the
/// last for each slot.
template <class Exec, class Ref>
struct InsertRangeTeam {
  using Slots = typename Ref::Slots;
  using Teams = RangeTeams<Exec, Slots>;
  using Member = typename Teams::Member;
  using Range = RangeSlots<Exec, Ref>;
  using Record = typename Range::Record;
  using Window = typename Ref::Window;
  static constexpr std::uint64_t most_records_per_slot = 4;
  static constexpr std::uint64_t most_records = 0xFFFF;  // which claims can number
  static constexpr std::uint32_t size = Teams::threads;
  Ref ref;
  Record* records;
  const std::uint64_t* range_offsets;
  std::uint64_t* deferred;  // records left at the front of each range
  unsigned shift;           // log2 of the windows of a range
  bool fresh;               // the windows are not initialised yet
  OutcomeCounters counters;

  [[nodiscard]] static std::size_t scratch_bytes(unsigned shift) {
    return (range_window_bytes<Slots> << shift) + range_slack_bytes;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto range = static_cast<std::uint64_t>(team.league_rank());
    const Tile handled = handled_records(range);
    const std::uint64_t skipped = handled.begin - range_offsets[range];
    if (handled.count == 0 && !fresh) return set_deferred(team, range, 0);
    const std::uint64_t first = range << shift;
    const std::uint64_t left = ref.num_windows() - first, all = std::uint64_t{1} << shift;
    const std::uint64_t num_windows = left < all ? left : all;
    auto* const windows = static_cast<Window*>(
        team.team_shmem().get_shmem_aligned(num_windows * sizeof(Window), sizeof(Window)));
    auto* const counts =
        static_cast<RangeCounts*>(team.team_shmem().get_shmem_aligned(sizeof(RangeCounts), 16));
    if (team.team_rank() == 0) *counts = RangeCounts{};
    bring_in(team, windows, first, num_windows);
    const Range slots(team, ref, windows, static_cast<std::uint32_t>(num_windows),
                      records + handled.begin, fresh);
    if constexpr (Range::writes_later) team.team_barrier();
    slots.begin(team);
    insert_tiles(team, handled, first, slots, *counts);
    team.team_barrier();
    const std::uint64_t inserted =
        handled.count - counts->deferred - counts->existing - counts->failed;
    if (fresh || inserted != 0) {
      backends::team_copy<Exec, size>(team, ref.window(first), windows,
                                      num_windows * sizeof(Window));
    }
    set_deferred(team, range, skipped + counts->deferred);
    if (team.team_rank() == 0) counters.add({inserted, counts->existing, counts->failed});
  }

 private:
  /// The records of a range that its team handles.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Tile handled_records(std::uint64_t range) const {
    const std::uint64_t by_slots = (most_records_per_slot * Window::size) << shift;
    const std::uint64_t most = by_slots < most_records ? by_slots : most_records;
    const std::uint64_t end = range_offsets[range + 1], count = end - range_offsets[range];
    Tile handled{};
    handled.count = count < most ? count : most;
    handled.begin = end - handled.count;
    return handled;
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_deferred(const Member& team, std::uint64_t range,
                                                std::uint64_t number) const {
    if (team.team_rank() == 0) deferred[range] = number;
  }
  KOKKOS_FORCEINLINE_FUNCTION void bring_in(const Member& team, Window* windows,
                                            std::uint64_t first, std::uint64_t num_windows) const {
    const std::size_t bytes = num_windows * sizeof(Window);
    fresh ? backends::team_set_bits<Exec, size>(team, windows, bytes)
          : backends::team_copy<Exec, size>(team, windows, ref.window(first), bytes);
  }

  /// Inserts all records. The first barrier of a tile has two uses: the whole team sees what was
  /// written to scratch, and has read all records that deferred ones may now replace.
  KOKKOS_FORCEINLINE_FUNCTION void insert_tiles(const Member& team, const Tile& handled,
                                                std::uint64_t first_window, const Range& slots,
                                                RangeCounts& counts) const {
    constexpr int batch = range_batch<Record>;
    const auto num_records = static_cast<std::uint32_t>(handled.count);
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    std::uint32_t existing = 0, failed = 0;
    HASHMILL_UNROLL(1)
    for (std::uint32_t done = 0; done < num_records; done += batch * size) {
      Record held[batch];
      RangeClaim claims[batch];
      read_records<size>(RecordSource<Record>{records}, handled, done + rank, held);
      team.team_barrier();
      backends::unrolled<batch>([&](unsigned k) {
        const std::uint32_t i = done + rank + k * size;
        claims[k] = i < num_records ? insert(held[k], first_window, i, slots)
                                    : RangeClaim{InsertOutcome::skipped, 0};
      });
      if constexpr (Range::writes_later) team.team_barrier();
      backends::unrolled<batch>([&](unsigned k) {
        slots.write(held[k], claims[k]);
        existing += claims[k].outcome == InsertOutcome::existing ? 1 : 0;
        failed += claims[k].outcome == InsertOutcome::refused ? 1 : 0;
        if (claims[k].outcome == InsertOutcome::full) defer(held[k], handled, counts);
      });
    }
    if (existing != 0) backends::team_fetch_add<Exec>(&counts.existing, existing);
    if (failed != 0) backends::team_fetch_add<Exec>(&counts.failed, failed);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION RangeClaim insert(const Record& record,
                                                              std::uint64_t first_window,
                                                              std::uint32_t i,
                                                              const Range& slots) const {
    if (second_of(record) >= slot_rows_end<typename Ref::row_type>) {
      return {InsertOutcome::refused, 0};
    }
    const std::uint64_t hash = ref.hasher()(first_of(record));
    return slots.insert(record, hash,
                        static_cast<std::uint32_t>(ref.home_of_hash(hash) - first_window), i);
  }
  KOKKOS_FORCEINLINE_FUNCTION void defer(const Record& record, const Tile& handled,
                                         RangeCounts& counts) const {
    records[handled.begin + backends::team_fetch_add<Exec>(&counts.deferred, std::uint32_t{1})] =
        record;
  }
};

/// Inserts the records that ranges had no room for, by atomics in memory. They are shared out
/// evenly, whichever ranges they come from.
template <class Exec, class Ref>
struct InsertDeferredTeam {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Record = TravellingPair<typename Ref::key_type, typename Ref::row_type>;
  Ref ref;
  const Record* records;
  const std::uint64_t* range_offsets;
  const std::uint64_t* first_deferred;  // how many deferred records the ranges before have
  std::uint64_t num_ranges;
  OutcomeCounters counters;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint64_t total = first_deferred[num_ranges];
    constexpr std::uint64_t size = backends::team_threads<Exec>;
    const std::uint64_t stride = static_cast<std::uint64_t>(team.league_size()) * size;
    std::uint64_t i = static_cast<std::uint64_t>(team.league_rank()) * size;
    if (i >= total) return;
    InsertResult counts;
    for (i += static_cast<std::uint64_t>(team.team_rank()); i < total; i += stride) {
      const Record record = deferred_record(i);
      tally(counts, ref.insert(first_of(record), second_of(record)));
    }
    add_of_team<Exec>(team, counts, counters);
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Record deferred_record(std::uint64_t i) const {
    std::uint64_t low = 0, high = num_ranges;
    while (high - low > 1) {  // invariant: first_deferred[low] <= i < first_deferred[high]
      const std::uint64_t middle = (low + high) / 2;
      (first_deferred[middle] <= i ? low : high) = middle;
    }
    return records[range_offsets[low] + (i - first_deferred[low])];
  }
};

/// Inserts partitioned records, part p of the plan being range p. Asynchronous. `fresh`: as in
/// `bulk_insert`; windows of ranges without records are written, too.
template <class Exec, class Ref, class Partitioned, class MemorySpace>
void insert_ranges(const Exec& exec, const Ref& ref, const Partitioned& sorted,
                   const InsertPlan& plan, bool fresh, const OutcomeCounters& counters,
                   Workspace<MemorySpace>& workspace) {
  using Insert = InsertRangeTeam<Exec, Ref>;
  const auto deferred = workspace.template take<std::uint64_t>(exec, plan.parts + 1);
  check_tiles(plan.parts);
  Insert::Teams::launch(
      "hashmill::linear_probing::insert_ranges", exec, static_cast<int>(plan.parts),
      Insert::scratch_bytes(plan.shift),
      Insert{ref, sorted.records, sorted.offsets, deferred.data(), plan.shift, fresh, counters});
  backends::exclusive_scan(exec, deferred, workspace);
  launch_even_tiles("hashmill::linear_probing::insert_deferred", exec,
                    backends::concurrent_teams(exec),
                    InsertDeferredTeam<Exec, Ref>{ref, sorted.records, sorted.offsets,
                                                  deferred.data(), plan.parts, counters});
}

}  // namespace hashmill::detail
