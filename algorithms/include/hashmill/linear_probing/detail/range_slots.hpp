#pragma once

#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/backends/team_copy.hpp>
#include <hashmill/linear_probing/detail/insert_plan.hpp>
#include <hashmill/linear_probing/ref.hpp>

namespace hashmill::detail {

// How the threads of a team take slots of a range of windows that lies in their scratch. Slots go
// from empty to taken and never back, and an insert takes the first empty one. So two inserts of
// one key meet in the same slot. Nothing is read that is half-written, so nobody waits for anyone.

/// What became of a record in a range: `full` if there is no room from its home to the end of the
/// range. `slot`: which slot it takes, where that is written later.
struct RangeClaim {
  InsertOutcome outcome;
  std::uint32_t slot;
};

/// A range whose slots are words. One compare-and-swap inserts an entry.
template <class Exec, class Ref>
class WordRange {
 public:
  using Record = RecordPair<typename Ref::key_type, typename Ref::row_type>;
  using Slots = typename Ref::Slots;
  using Slot = typename Slots::Slot;
  using Seen = typename Ref::Seen;
  using Window = typename Ref::Window;
  /// Whether the team must meet before slots are written.
  static constexpr bool writes_later = false;

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION WordRange(const Member&, const Ref& ref, Window* windows,
                                        std::uint32_t num_windows, const Record*)
      : ref_(ref), windows_(windows), num_windows_(num_windows) {}

  /// Inserts a record whose home is window `w` of the range.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION RangeClaim insert(const Record& record, std::uint32_t w,
                                                              std::uint32_t) const {
    constexpr Slot empty_word = ~Slot{0};
    const Slot entry = Slots::make(record.first, record.second);
    auto outcome = InsertOutcome::full;
    while (outcome == InsertOutcome::full && w < num_windows_) {
      const Seen seen(windows_[w]);
      if (Ref::unique && seen.matches(record.first, ref_.equal()) != 0) {
        outcome = InsertOutcome::existing;
      } else if (const unsigned empty = seen.empty(); empty == 0) {
        ++w;
      } else if (backends::team_compare_exchange<Exec>(&windows_[w].slots[Seen::lowest(empty)],
                                                       empty_word, entry) == empty_word) {
        outcome = InsertOutcome::inserted;
      }  // otherwise another thread was first: the window is read again
    }
    return {outcome, 0};
  }
  KOKKOS_FORCEINLINE_FUNCTION void write(const Record&, const RangeClaim&) const {}

 private:
  const Ref& ref_;
  Window* windows_;
  std::uint32_t num_windows_;
};

/// A range of larger slots. An insert claims a slot by the number of its record, in a word beside
/// the windows. Others find the key of a claimed slot in the record. After a barrier each thread
/// writes the slots that it claimed.
template <class Exec, class Ref>
class ClaimedRange {
 public:
  using Record = RecordPair<typename Ref::key_type, typename Ref::row_type>;
  using Slots = typename Ref::Slots;
  using Slot = typename Slots::Slot;
  using Window = typename Ref::Window;
  static constexpr bool writes_later = true;

  /// `records`: those whose numbers `insert` gets.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION ClaimedRange(const Member& team, const Ref& ref, Window* windows,
                                           std::uint32_t num_windows, const Record* records)
      : ref_(ref),
        windows_(windows),
        num_slots_(num_windows * window_slots),
        records_(records),
        claims_(static_cast<std::uint32_t*>(
            team.team_shmem().get_shmem_aligned(num_slots_ * sizeof(std::uint32_t), 16))) {
    for (std::uint32_t s = team.team_rank(); s < num_slots_; s += team_size) claims_[s] = unclaimed;
  }

  /// Claims a slot for record `i`, whose home is window `w` of the range. Only records since the
  /// last `write` have claims on empty slots, so older ones may have been replaced.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION RangeClaim insert(const Record& record, std::uint32_t w,
                                                              std::uint32_t i) const {
    RangeClaim claim{InsertOutcome::full, w * window_slots};
    while (claim.outcome == InsertOutcome::full && claim.slot < num_slots_) {
      claim.outcome = try_slot(record, claim.slot, i);
      if (claim.outcome == InsertOutcome::full) ++claim.slot;
    }
    return claim;
  }
  /// Writes a claimed slot.
  KOKKOS_FORCEINLINE_FUNCTION void write(const Record& record, const RangeClaim& claim) const {
    if (claim.outcome == InsertOutcome::inserted) {
      Slots::put(slot(claim.slot), record.first, record.second);
    }
  }

 private:
  static constexpr std::uint32_t unclaimed = ~std::uint32_t{0};
  static constexpr std::uint32_t window_slots = Window::size;
  static constexpr std::uint32_t team_size = backends::team_threads<Exec>;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Slot* slot(std::uint32_t s) const {
    return &windows_[s / window_slots].slots[s % window_slots];
  }
  /// Takes slot `s` for record `i` if it is free; `full` if another key has it.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION InsertOutcome try_slot(const Record& record,
                                                                   std::uint32_t s,
                                                                   std::uint32_t i) const {
    const Slot& there = *slot(s);
    if (!Slots::is_empty(there)) {
      const bool match =
          Ref::unique && Slots::is_live(there) && ref_.equal()(Slots::key(there), record.first);
      return match ? InsertOutcome::existing : InsertOutcome::full;
    }
    constexpr std::uint32_t free = unclaimed;
    const std::uint32_t other = backends::team_compare_exchange<Exec>(&claims_[s], free, i);
    if (other == unclaimed) return InsertOutcome::inserted;
    const bool match = Ref::unique && ref_.equal()(records_[other].first, record.first);
    return match ? InsertOutcome::existing : InsertOutcome::full;
  }

  const Ref& ref_;
  Window* windows_;
  std::uint32_t num_slots_;
  const Record* records_;
  std::uint32_t* claims_;
};

/// How slots of this kind are taken.
template <class Exec, class Ref>
using RangeSlots = std::conditional_t<is_word_slot<typename Ref::Slots>, WordRange<Exec, Ref>,
                                      ClaimedRange<Exec, Ref>>;

}  // namespace hashmill::detail
