#pragma once

#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/backends/team_scan.hpp>
#include <hashmill/partition/detail/partition_records.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>
#include <hashmill/tag_bucket/detail/ranges.hpp>
#include <hashmill/tag_bucket/detail/team_homes.hpp>

namespace hashmill::detail {

/// Round 0 of InsertIntoRanges by teams, one per range. A team works on its buckets in scratch:
///
///     1  brings the buckets there, or begins with empty ones if they are `fresh`
///     2  inserts records into their home buckets (InsertAtHomes)
///     3  groups as many of those without a place there as it can stage by their home buckets
///     4  inserts them in steps: in each step a thread owns a block of 1, 16, ... buckets, and
///        inserts there what its block has left
///     5  repeats 3 and 4, then writes the buckets to memory
///
/// A few records without a place are inserted by one thread instead of 3 to 5. Records that
/// overflow the range are gathered as by InsertIntoRanges. Per record: one read, one scratch
/// atomic, three scratch writes, one scratch read. Buckets move as whole lines.
template <class Exec, class Writer, OnSameKey Same>
struct InsertByTeams {
  using Teams = TagTeams<Exec>;
  using Member = typename Teams::Member;
  using Record = typename Writer::Record;
  using Offset = SecondOf<Record>;
  using Stage = TagStage<Exec, Record>;
  using Scratch = TagTeamScratch<Exec, Record>;
  using Scan = backends::TeamScan<Exec, Member, std::uint32_t, Teams::threads>;
  static constexpr std::uint32_t size = Teams::threads;
  static_assert(Scan::scratch_bytes <= backends::wide_team_scan_bytes);

  Writer writer;
  TagRangePlan plan;
  Record* records;
  const Offset* offsets;
  Offset* left;
  TagTally* total;
  bool fresh;  // the buckets are not initialised yet

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto range = static_cast<std::uint64_t>(team.league_rank());
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const Offset begin = offsets[range];
    const std::uint64_t all = offsets[range + 1] - begin;
    const auto count = static_cast<std::uint32_t>(all < plan.quota ? all : plan.quota);
    if (count == 0 && !fresh) {
      if (rank == 0) left[range] = 0;
      return;
    }
    const Scratch scratch(team, plan, range);
    const InsertAtHomes<Exec, Writer, Same> homes(team, writer, scratch, records + begin);
    Counts counts;
    counts.found = homes.insert(count, fresh, [&] {
      if (rank == 0) scratch.memory->found = scratch.memory->reused = scratch.memory->over = 0;
      fresh ? copier(team, scratch).clear() : copier(team, scratch).fetch();
    });
    team.team_barrier();
    const std::uint32_t over = scratch.memory->over;
    if (over > Stage::few) {
      insert_many(team, scratch, records + begin, over, counts);
    } else if (rank == 0 && over != 0) {
      insert_few(scratch, records + begin, over, counts);
    }
    add_up(team, scratch, range, count, counts);
    copier(team, scratch).flush();
  }

  /// What a thread did. All threads, or only the first one, know how many rows are left.
  struct Counts {
    std::uint32_t found = 0;
    std::uint32_t reused = 0;
    std::uint32_t left = 0;

    KOKKOS_FORCEINLINE_FUNCTION void add(SlotOutcome outcome) {
      found += outcome == SlotOutcome::found ? 1 : 0;
      reused += outcome == SlotOutcome::reused ? 1 : 0;
    }
  };

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION TagBucketCopier<Exec> copier(
      const Member& team, const Scratch& scratch) const {
    return {static_cast<std::uint32_t>(team.team_rank()), scratch.buckets,
            writer.buckets + scratch.first, scratch.memory->held};
  }
  /// Inserts the first `number` records of the range, of which the first few lie in scratch.
  KOKKOS_FORCEINLINE_FUNCTION void insert_many(const Member& team, const Scratch& scratch,
                                               Record* of_range, std::uint32_t number,
                                               Counts& counts) const {
    for (std::uint32_t j = team.team_rank(); j < Stage::few; j += size) {
      of_range[j] = scratch.memory->few[j];
    }
    team.team_barrier();
    const Scan scan(team);
    HASHMILL_UNROLL(1)
    for (std::uint32_t done = 0; done < number; done += Stage::records) {
      Tile tile{};
      tile.begin = done;
      tile.count = number - done < Stage::records ? number - done : Stage::records;
      group(team, scan, scratch, of_range, tile);
      insert_staged(team, scratch, counts);
      keep_left(team, scratch, of_range, counts);
    }
  }
  /// Inserts a few records by one thread.
  KOKKOS_FORCEINLINE_FUNCTION void insert_few(const Scratch& scratch, Record* of_range,
                                              std::uint32_t number, Counts& counts) const {
    HASHMILL_UNROLL(1)
    for (std::uint32_t j = 0; j < number; ++j) {
      const SlotOutcome outcome = insert_before(scratch, scratch.memory->few[j], scratch.buckets);
      if (outcome == SlotOutcome::no_room) of_range[counts.left++] = scratch.memory->few[j];
      counts.add(outcome);
    }
  }
  /// Inserts a record into its home bucket or one behind it, but before bucket `end`.
  KOKKOS_FUNCTION SlotOutcome insert_before(const Scratch& scratch, const Record& record,
                                            std::uint32_t end) const {
    const std::uint64_t hash = writer.hash(record);
    return writer.template insert_into<Same>(scratch.held(), record, hash,
                                             writer.ref.home_of_hash(hash), scratch.first + end);
  }

  /// The number in its range of a record's home bucket.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t home_in(const Scratch& scratch,
                                                                  const Record& record) const {
    return static_cast<std::uint32_t>(writer.ref.home_of_hash(writer.hash(record)) - scratch.first);
  }

  /// Stages the records of a tile, grouped by home bucket. Ends with a barrier.
  KOKKOS_FORCEINLINE_FUNCTION void group(const Member& team, const Scan& scan,
                                         const Scratch& scratch, const Record* of_range,
                                         const Tile& tile) const {
    constexpr int batch = 2;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const RecordSource<Record> source{of_range};
    const auto first = backends::spread_rank<Exec, size>(rank);
    for (std::uint32_t b = rank; b < scratch.buckets; b += size) scratch.memory->counts[b] = 0;
    team.team_barrier();
    for_each_record<size, batch>(source, tile, first, [&](const Record& record) {
      backends::team_fetch_add<Exec>(scratch.memory->counts + home_in(scratch, record),
                                     std::uint32_t{1});
    });
    team.team_barrier();
    end_groups(rank, scan, scratch);
    team.team_barrier();
    // Groups fill from their ends, so that their places become their begins.
    for_each_record<size, batch>(source, tile, first, [&](const Record& record) {
      std::uint32_t* const place = scratch.memory->places + home_in(scratch, record);
      scratch.memory->stage[backends::team_fetch_add<Exec>(place, ~std::uint32_t{0}) - 1] = record;
    });
    team.team_barrier();
  }

  /// Sets the places of buckets to the ends of their groups.
  KOKKOS_FORCEINLINE_FUNCTION void end_groups(std::uint32_t rank, const Scan& scan,
                                              const Scratch& scratch) const {
    constexpr std::uint32_t each = (Stage::buckets + size - 1) / size;
    const std::uint32_t first = rank * each;
    const std::uint32_t end = first + each < scratch.buckets ? first + each : scratch.buckets;
    std::uint32_t sum = 0;
    for (std::uint32_t b = first; b < end; ++b) sum += scratch.memory->counts[b];
    std::uint32_t place = scan.exclusive_sum(sum);
    for (std::uint32_t b = first; b < end; ++b) {
      place += scratch.memory->counts[b];
      scratch.memory->places[b] = place;
    }
  }

  /// Inserts the staged records. Those that overflow the range become the first of the stage.
  KOKKOS_FORCEINLINE_FUNCTION void insert_staged(const Member& team, const Scratch& scratch,
                                                 Counts& counts) const {
    constexpr std::uint32_t widening = 16;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    std::uint32_t width = 1, before = 1;
    bool done = false;
    while (!done) {
      for (std::uint32_t b = rank * width; b < scratch.buckets; b += size * width) {
        const std::uint32_t end = b + width < scratch.buckets ? b + width : scratch.buckets;
        insert_into_block(scratch, b, end, before, counts);
      }
      team.team_barrier();
      done = width >= scratch.buckets;
      before = width;
      width *= widening;
    }
  }

  /// Inserts into the buckets [first, end) what the blocks of `before` buckets in it have left.
  /// What finds no room is left in turn, from the place of the first bucket on.
  KOKKOS_FORCEINLINE_FUNCTION void insert_into_block(const Scratch& scratch, std::uint32_t first,
                                                     std::uint32_t end, std::uint32_t before,
                                                     Counts& counts) const {
    std::uint32_t keep = scratch.memory->places[first];
    for (std::uint32_t b = first; b < end; b += before) {
      const std::uint32_t from = scratch.memory->places[b], to = from + scratch.memory->counts[b];
      HASHMILL_UNROLL(1)
      for (std::uint32_t j = from; j < to; ++j) {
        const Record record = scratch.memory->stage[j];
        const SlotOutcome outcome = insert_before(scratch, record, end);
        if (outcome == SlotOutcome::no_room) scratch.memory->stage[keep++] = record;
        counts.add(outcome);
      }
    }
    scratch.memory->counts[first] = keep - scratch.memory->places[first];
  }

  /// Moves what is left of the stage behind what was left of the range before. Ends with a barrier.
  KOKKOS_FORCEINLINE_FUNCTION void keep_left(const Member& team, const Scratch& scratch,
                                             Record* of_range, Counts& counts) const {
    const std::uint32_t kept = scratch.memory->counts[0];
    for (std::uint32_t j = team.team_rank(); j < kept; j += size) {
      of_range[counts.left + j] = scratch.memory->stage[j];
    }
    counts.left += kept;
    team.team_barrier();
  }

  /// Adds what the threads of a team did with `count` records to the total.
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Member& team, const Scratch& scratch,
                                          std::uint64_t range, std::uint32_t count,
                                          const Counts& counts) const {
    if (counts.found != 0) backends::team_fetch_add<Exec>(&scratch.memory->found, counts.found);
    if (counts.reused != 0) backends::team_fetch_add<Exec>(&scratch.memory->reused, counts.reused);
    team.team_barrier();
    if (team.team_rank() != 0) return;
    left[range] = static_cast<Offset>(counts.left);
    const std::uint64_t reused = scratch.memory->reused, kept = counts.left;
    Kokkos::atomic_add(&total->filled, count - scratch.memory->found - reused - kept);
    if (reused != 0) Kokkos::atomic_add(&total->reused, reused);
    if (kept != 0) Kokkos::atomic_add(&total->left, kept);
  }
};

/// Inserts partitioned records into their ranges of buckets, a team per range. Adds up in `total`,
/// a view of one tally. Waits for `exec`.
template <OnSameKey Same, class Exec, class Writer, class Row, class Total>
TagTally insert_by_teams(const Exec& exec, const Writer& writer, const TagRangePlan& plan,
                         const PartitionedRecords<typename Writer::Record, Row>& parts, Row* left,
                         bool fresh, const Total& total) {
  using Kernel = InsertByTeams<Exec, Writer, Same>;
  Kokkos::deep_copy(exec, total, TagTally{});
  check_tiles(plan.ranges);
  TagTeams<Exec>::launch(
      "hashmill::tag_bucket::insert", exec, static_cast<int>(plan.ranges), Kernel::Stage::bytes(),
      Kernel{writer, plan, parts.records, parts.offsets, left, total.data(), fresh});
  return backends::fetch(exec, total, 0,
                         "hashmill::tag_bucket: the tally decides what is launched next");
}

}  // namespace hashmill::detail
