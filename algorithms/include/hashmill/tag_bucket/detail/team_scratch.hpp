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

  typename Stage::Memory* memory;
  std::uint64_t first;    // bucket
  std::uint32_t buckets;  // of the range

  KOKKOS_FORCEINLINE_FUNCTION TagTeamScratch(const Member& team, const TagRangePlan& plan,
                                             std::uint64_t range)
      : memory(static_cast<typename Stage::Memory*>(
            team.team_shmem().get_shmem_aligned(sizeof(typename Stage::Memory), 16))),
        first(plan.first_bucket(range)),
        buckets(static_cast<std::uint32_t>(plan.end_bucket(range) - first)) {}

  /// The buckets by their numbers in the table.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION StagedTagBuckets held() const {
    return {memory->held, first};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION TagBucketSlots& slots(std::uint32_t bucket) const {
    return memory->held[bucket].slots;
  }
  /// Slots to be compared, each with its bucket. They lie in the stage.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION ListedTagSlot* listed() const {
    return reinterpret_cast<ListedTagSlot*>(memory->stage);
  }
};

}  // namespace hashmill::detail
