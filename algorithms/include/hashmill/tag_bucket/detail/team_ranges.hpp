#pragma once

#include <hashmill/backends/alias_word.hpp>
#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/backends/team_scan.hpp>
#include <hashmill/partition/detail/partition_records.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>
#include <hashmill/tag_bucket/detail/ranges.hpp>

namespace hashmill::detail {

/// The buckets of a range from `first` on, in team scratch. Looks like the array of all buckets.
struct StagedTagBuckets {
  StagedTagBucket* staged;
  std::uint64_t first;

  KOKKOS_FORCEINLINE_FUNCTION TagBucketSlots& operator[](std::uint64_t b) const {
    return staged[b - first].slots;
  }
};

/// Copies between `count` buckets in memory and in scratch, in accesses of 16 bytes. Neighbouring
/// threads take neighbouring ones.
template <class Exec>
class TagBucketCopier {
  using Word = backends::AliasWordPair;
  static constexpr std::uint32_t words = sizeof(TagBucketSlots) / sizeof(Word);
  static constexpr std::uint32_t size = backends::team_threads<Exec>;

 public:
  KOKKOS_FORCEINLINE_FUNCTION TagBucketCopier(std::uint32_t rank, std::uint32_t count,
                                              TagBucketSlots* memory, StagedTagBucket* staged)
      : rank_(rank), end_(count * words), memory_(memory), staged_(staged) {}

  /// Brings the buckets into scratch.
  KOKKOS_FORCEINLINE_FUNCTION void fetch() const {
    HASHMILL_UNROLL(4)
    for (std::uint32_t i = rank_; i < end_; i += size) *staged_word(i) = *word(i);
  }
  /// Empties the buckets in scratch.
  KOKKOS_FORCEINLINE_FUNCTION void clear() const {
    for (std::uint32_t i = rank_; i < end_; i += size) *staged_word(i) = Word{0, 0};
  }
  /// Writes the buckets to memory.
  KOKKOS_FORCEINLINE_FUNCTION void flush() const {
    HASHMILL_UNROLL(4)
    for (std::uint32_t i = rank_; i < end_; i += size) *word(i) = *staged_word(i);
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Word* word(std::uint32_t i) const {
    return reinterpret_cast<Word*>(memory_) + i;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Word* staged_word(std::uint32_t i) const {
    return reinterpret_cast<Word*>(staged_ + i / words) + i % words;
  }

  std::uint32_t rank_;
  std::uint32_t end_;
  TagBucketSlots* memory_;
  StagedTagBucket* staged_;
};

/// Round 0 of InsertIntoRanges by teams, one per range. A team works on its buckets in scratch:
///
///     1  brings the buckets there, or begins with empty ones if they are `fresh`
///     2  groups as many records as it can stage by their home buckets
///     3  inserts them in steps: in each step a thread owns a block of 1, 16, ... buckets, and
///        inserts there what its block has left
///     4  repeats 2 and 3, then writes the buckets to memory
///
/// Few records find their bucket full, so nearly all are inserted in the first step, by as many
/// threads as there are buckets. Records that overflow the range are gathered as by
/// InsertIntoRanges. Per record: two reads, of which the second finds a cache, two scratch atomics,
/// one scratch write and read, and its slot. Buckets move as whole lines.
template <class Exec, class Writer, OnSameKey Same>
struct InsertByTeams {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Record = typename Writer::Record;
  using Offset = decltype(Record::second);
  using Stage = TagStage<Exec, Record>;
  using Scan = backends::TeamScan<Exec, Member>;
  static constexpr std::uint32_t size = backends::team_threads<Exec>;

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
    std::uint64_t count = offsets[range + 1] - begin;
    if (count > plan.quota) count = plan.quota;
    if (count == 0 && !fresh) {
      if (rank == 0) left[range] = 0;
      return;
    }
    const Scratch scratch(team, plan, range);
    const Scan scan(team);
    const TagBucketCopier<Exec> copier(rank, scratch.buckets, writer.buckets + scratch.held.first,
                                       scratch.held.staged);
    fresh ? copier.clear() : copier.fetch();
    if (rank == 0) scratch.sums[0] = scratch.sums[1] = 0;
    TagTally tally;
    for (std::uint64_t done = 0; done < count; done += Stage::records) {
      Tile tile{};
      tile.begin = begin + done;
      tile.count = count - done < Stage::records ? count - done : Stage::records;
      group(team, scan, scratch, tile);
      insert_staged(team, scratch, tally);
      keep_left(team, scratch, begin, tally);
    }
    add_up(team, scratch, range, tally);
    copier.flush();
  }

 private:
  /// The scratch of a team (see TagStage). Bucket numbers are counted from the first of the range.
  struct Scratch {
    StagedTagBuckets held;
    std::uint32_t buckets;  // of the range
    Record* stage;
    std::uint32_t* places;  // where the records of each bucket begin in the stage
    std::uint32_t* counts;  // the records of each bucket; then of each block, those that are left
    std::uint32_t* sums;    // slots filled and reused by the team

    KOKKOS_FORCEINLINE_FUNCTION Scratch(const Member& team, const TagRangePlan& plan,
                                        std::uint64_t range)
        : held{take<StagedTagBucket>(team, Stage::buckets), plan.first_bucket(range)},
          buckets(static_cast<std::uint32_t>(plan.end_bucket(range) - held.first)),
          stage(take<Record>(team, Stage::records)),
          places(take<std::uint32_t>(team, Stage::buckets)),
          counts(take<std::uint32_t>(team, Stage::buckets)),
          sums(take<std::uint32_t>(team, 4)) {}

    template <class Element>
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Element* take(const Member& team,
                                                                   std::uint32_t count) {
      return static_cast<Element*>(
          team.team_shmem().get_shmem_aligned(count * sizeof(Element), 16));
    }
  };

  /// The number in its range of a record's home bucket.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t home_in(const Scratch& scratch,
                                                                  const Record& record) const {
    return static_cast<std::uint32_t>(writer.ref.home_of_hash(writer.hash(record)) -
                                      scratch.held.first);
  }

  /// Stages the records of a tile, grouped by home bucket. Ends with a barrier.
  KOKKOS_FORCEINLINE_FUNCTION void group(const Member& team, const Scan& scan,
                                         const Scratch& scratch, const Tile& tile) const {
    constexpr int batch = 4;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const RecordSource<Record> source{records};
    const auto first = backends::spread_rank<Exec>(rank);
    for (std::uint32_t b = rank; b < scratch.buckets; b += size) scratch.counts[b] = 0;
    team.team_barrier();
    for_each_record<size, batch>(source, tile, first, [&](const Record& record) {
      backends::team_fetch_add<Exec>(scratch.counts + home_in(scratch, record), std::uint32_t{1});
    });
    team.team_barrier();
    end_groups(rank, scan, scratch);
    team.team_barrier();
    // Groups fill from their ends, so that their places become their begins.
    for_each_record<size, batch>(source, tile, first, [&](const Record& record) {
      std::uint32_t* const place = scratch.places + home_in(scratch, record);
      scratch.stage[backends::team_fetch_add<Exec>(place, ~std::uint32_t{0}) - 1] = record;
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
    for (std::uint32_t b = first; b < end; ++b) sum += scratch.counts[b];
    std::uint32_t place = scan.exclusive_sum(sum);
    for (std::uint32_t b = first; b < end; ++b) {
      place += scratch.counts[b];
      scratch.places[b] = place;
    }
  }

  /// Inserts the staged records. Those that overflow the range become the first of the stage.
  KOKKOS_FORCEINLINE_FUNCTION void insert_staged(const Member& team, const Scratch& scratch,
                                                 TagTally& tally) const {
    constexpr std::uint32_t widening = 16;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    std::uint32_t width = 1, before = 1;
    bool done = false;
    while (!done) {
      for (std::uint32_t b = rank * width; b < scratch.buckets; b += size * width) {
        const std::uint32_t end = b + width < scratch.buckets ? b + width : scratch.buckets;
        insert_into_block(scratch, b, end, before, tally);
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
                                                     TagTally& tally) const {
    std::uint32_t keep = scratch.places[first];
    for (std::uint32_t b = first; b < end; b += before) {
      const std::uint32_t from = scratch.places[b], to = from + scratch.counts[b];
      HASHMILL_UNROLL(1)
      for (std::uint32_t j = from; j < to; ++j) {
        const Record record = scratch.stage[j];
        const std::uint64_t hash = writer.hash(record);
        const SlotOutcome outcome = writer.template insert_into<Same>(
            scratch.held, record, hash, writer.ref.home_of_hash(hash), scratch.held.first + end);
        if (outcome == SlotOutcome::no_room) scratch.stage[keep++] = record;
        tally.add(outcome);
      }
    }
    scratch.counts[first] = keep - scratch.places[first];
  }

  /// Moves what is left of the stage behind what was left of the range before. Ends with a barrier.
  KOKKOS_FORCEINLINE_FUNCTION void keep_left(const Member& team, const Scratch& scratch,
                                             Offset begin, TagTally& tally) const {
    const std::uint32_t kept = scratch.counts[0];
    for (std::uint32_t j = team.team_rank(); j < kept; j += size) {
      records[begin + tally.left + j] = scratch.stage[j];
    }
    tally.left += kept;
    team.team_barrier();
  }

  /// Adds what the threads of a team did to the total. All of them know how many rows are left.
  KOKKOS_FORCEINLINE_FUNCTION void add_up(const Member& team, const Scratch& scratch,
                                          std::uint64_t range, const TagTally& tally) const {
    const auto filled = static_cast<std::uint32_t>(tally.filled);
    const auto reused = static_cast<std::uint32_t>(tally.reused);
    if (filled != 0) backends::team_fetch_add<Exec>(scratch.sums, filled);
    if (reused != 0) backends::team_fetch_add<Exec>(scratch.sums + 1, reused);
    team.team_barrier();
    if (team.team_rank() != 0) return;
    left[range] = static_cast<Offset>(tally.left);
    Kokkos::atomic_add(&total->filled, std::uint64_t{scratch.sums[0]});
    if (scratch.sums[1] != 0) Kokkos::atomic_add(&total->reused, std::uint64_t{scratch.sums[1]});
    if (tally.left != 0) Kokkos::atomic_add(&total->left, tally.left);
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
  launch_tiles<true, backends::RegisterBoundTeamPolicy<Exec>>(
      "hashmill::tag_bucket::insert", exec, plan.ranges, Kernel::Stage::bytes(),
      Kernel{writer, plan, parts.records, parts.offsets, left, total.data(), fresh});
  return backends::fetch(exec, total, 0,
                         "hashmill::tag_bucket: the tally decides what is launched next");
}

}  // namespace hashmill::detail
