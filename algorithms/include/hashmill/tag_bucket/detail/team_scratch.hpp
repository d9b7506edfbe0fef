#pragma once

#include <hashmill/backends/alias_word.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/tag_bucket/detail/range_plan.hpp>

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
  static constexpr std::uint32_t size = TagTeams<Exec>::threads;

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

/// A bucket and a slot. Lies where records are staged at other times.
using ListedTagSlot HASHMILL_MAY_ALIAS = std::uint16_t;

/// The scratch of a team that inserts records (see TagStage). Bucket numbers are counted from the
/// first of the range.
template <class Exec, class Record>
struct TagTeamScratch {
  using Stage = TagStage<Exec, Record>;
  using Member = typename TagTeams<Exec>::Member;

  StagedTagBuckets held;
  std::uint32_t buckets;  // of the range
  Record* stage;
  Record* few;            // the first records that did not fit their home buckets
  std::uint32_t* places;  // where the records of each bucket begin in the stage
  std::uint32_t* counts;  // the records of each bucket; then of each block, those that are left
  std::uint32_t* found;   // rows whose keys were there
  std::uint32_t* reused;  // slots reused
  std::uint32_t* over;    // records that did not fit their home buckets
  std::uint32_t* alike;   // of this round and of the one before: slots listed (see `listed`)

  KOKKOS_FORCEINLINE_FUNCTION TagTeamScratch(const Member& team, const TagRangePlan& plan,
                                             std::uint64_t range)
      : held{take<StagedTagBucket>(team, Stage::buckets), plan.first_bucket(range)},
        buckets(static_cast<std::uint32_t>(plan.end_bucket(range) - held.first)),
        stage(take<Record>(team, Stage::records)),
        few(take<Record>(team, Stage::few)),
        places(take<std::uint32_t>(team, Stage::buckets)),
        counts(take<std::uint32_t>(team, Stage::buckets)),
        found(take<std::uint32_t>(team, 8)),
        reused(found + 1),
        over(found + 2),
        alike(found + 3) {}

  /// Slots to be compared, each with its bucket. They lie in the stage.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION ListedTagSlot* listed() const {
    return reinterpret_cast<ListedTagSlot*>(stage);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION TagBucketSlots& slots(std::uint32_t bucket) const {
    return held.staged[bucket].slots;
  }

 private:
  template <class Element>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static Element* take(const Member& team,
                                                                 std::uint32_t count) {
    return static_cast<Element*>(team.team_shmem().get_shmem_aligned(count * sizeof(Element), 16));
  }
};

}  // namespace hashmill::detail
