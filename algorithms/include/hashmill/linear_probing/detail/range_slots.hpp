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
  using Record = TravellingPair<typename Ref::key_type, typename Ref::row_type>;
  using Slots = typename Ref::Slots;
  using Slot = typename Slots::Slot;
  using Seen = typename Ref::Seen;
  using Window = typename Ref::Window;
  /// Whether the team must meet before slots are written.
  static constexpr bool writes_later = false;

  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION WordRange(const Member&, const Ref& ref, Window* windows,
                                        std::uint32_t num_windows, const Record*, bool)
      : ref_(ref), windows_(windows), num_windows_(num_windows) {}

  /// Inserts a record whose home is window `w` of the range.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION RangeClaim insert(const Record& record, std::uint64_t,
                                                              std::uint32_t w,
                                                              std::uint32_t) const {
    constexpr Slot empty_word = ~Slot{0};
    const Slot entry = Slots::make(first_of(record), second_of(record));
    auto outcome = InsertOutcome::full;
    while (outcome == InsertOutcome::full && w < num_windows_) {
      const Seen seen(windows_[w]);
      if (Ref::unique && seen.matches(first_of(record), ref_.equal()) != 0) {
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
  /// Other kinds of ranges claim slots first.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Member&) const {}
  KOKKOS_FORCEINLINE_FUNCTION void write(const Record&, const RangeClaim&) const {}

 private:
  const Ref& ref_;
  Window* windows_;
  std::uint32_t num_windows_;
};

/// The claims of four neighbouring slots, read in one access.
struct alignas(16) FourClaims {
  std::uint32_t words[4];
};

/// A range of larger slots. An insert claims a slot in a word beside the windows. Others read four
/// claims at a time. After a barrier each thread writes the slots that it claimed.
///
///     31   30         16 15       0
///     | 0 | tag: 15 bits | record |   `in_slot` in place of the record if it has come before
///     |  all bits are set         |   nobody has claimed the slot
///
/// The tag is of the hash, so that keys are compared where they are most likely equal. The key of a
/// slot that is claimed but not written yet is found in the record.
template <class Exec, class Ref>
class ClaimedRange {
 public:
  using Record = TravellingPair<typename Ref::key_type, typename Ref::row_type>;
  using Slots = typename Ref::Slots;
  using Slot = typename Slots::Slot;
  using Window = typename Ref::Window;
  static constexpr bool writes_later = true;
  /// Numbers of records are below it.
  static constexpr std::uint32_t in_slot = 0xFFFF;

  /// `records`: those whose numbers `insert` gets. `fresh`: all slots are empty.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION ClaimedRange(const Member& team, const Ref& ref, Window* windows,
                                           std::uint32_t num_windows, const Record* records,
                                           bool fresh)
      : ref_(ref),
        windows_(windows),
        num_slots_(num_windows * window_slots),
        records_(records),
        claims_(static_cast<std::uint32_t*>(team.team_shmem().get_shmem_aligned(
            (num_slots_ + 3) / 4 * sizeof(FourClaims), alignof(FourClaims)))),
        fresh_(fresh) {}

  /// Notes which slots are taken. Put barriers before it and behind it.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Member& team) const {
    for (std::uint32_t s = team.team_rank(); s < num_slots_; s += team_size) {
      const bool taken = !fresh_ && !Slots::is_empty(*slot(s));
      claims_[s] = taken ? claim_of(ref_.hasher()(Slots::key(*slot(s))), in_slot) : unclaimed;
    }
  }

  /// Claims a slot for record `i`, whose home is window `w` of the range. Only records since the
  /// last `write` have claims on empty slots, so older ones may have been replaced.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION RangeClaim insert(const Record& record,
                                                              std::uint64_t hash, std::uint32_t w,
                                                              std::uint32_t i) const {
    const std::uint32_t own = claim_of(hash, i);
    std::uint32_t s = w * window_slots;
    while (s < num_slots_) {
      const std::uint32_t first = s / 4 * 4;
      const FourClaims seen = *reinterpret_cast<const FourClaims*>(claims_ + first);
      unsigned alike = 0, empty = 0;
      backends::unrolled<4>([&](unsigned k) {
        if (first + k < s || first + k >= num_slots_) return;
        empty |= (seen.words[k] == unclaimed ? 1U : 0U) << k;
        alike |= ((seen.words[k] ^ own) >> 16 == 0 ? 1U : 0U) << k;
      });
      if (Ref::unique && has_key(record, seen, first, alike)) {
        return {InsertOutcome::existing, 0};
      }
      if (empty == 0) {
        s = first + 4;
        continue;
      }
      const std::uint32_t found = first + static_cast<std::uint32_t>(Kokkos::countr_zero(empty));
      constexpr std::uint32_t free = unclaimed;
      if (backends::team_compare_exchange<Exec>(&claims_[found], free, own) == unclaimed) {
        return {InsertOutcome::inserted, found};
      }  // otherwise another thread was first: the claims are read again
    }
    return {InsertOutcome::full, 0};
  }
  /// Writes a claimed slot.
  KOKKOS_FORCEINLINE_FUNCTION void write(const Record& record, const RangeClaim& claim) const {
    if (claim.outcome == InsertOutcome::inserted) {
      Slots::put(slot(claim.slot), first_of(record), second_of(record));
    }
  }

 private:
  static constexpr std::uint32_t unclaimed = ~std::uint32_t{0};
  static constexpr std::uint32_t window_slots = Window::size;
  static constexpr std::uint32_t team_size = RangeTeams<Exec, Slots>::threads;

  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t claim_of(std::uint64_t hash,
                                                                          std::uint32_t record) {
    return (static_cast<std::uint32_t>(hash) & 0x7FFF) << 16 | record;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Slot* slot(std::uint32_t s) const {
    return &windows_[s / window_slots].slots[s % window_slots];
  }
  /// Whether one of the four slots from `first` on that `alike` has a bit for holds the record's
  /// key.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool has_key(const Record& record,
                                                         const FourClaims& seen,
                                                         std::uint32_t first,
                                                         unsigned alike) const {
    bool found = false;
    if (alike == 0) return found;
    backends::unrolled<4>([&](unsigned k) {
      if ((alike >> k & 1) == 0) return;
      const Slot& there = *slot(first + k);
      const bool is_written = !Slots::is_empty(there);
      if (is_written && !Slots::is_live(there)) return;
      const auto key = is_written ? Slots::key(there) : first_of(records_[seen.words[k] & in_slot]);
      found |= ref_.equal()(key, first_of(record));
    });
    return found;
  }

  const Ref& ref_;
  Window* windows_;
  std::uint32_t num_slots_;
  const Record* records_;
  std::uint32_t* claims_;
  bool fresh_;
};

/// How slots of this kind are taken.
template <class Exec, class Ref>
using RangeSlots = std::conditional_t<is_word_slot<typename Ref::Slots>, WordRange<Exec, Ref>,
                                      ClaimedRange<Exec, Ref>>;

}  // namespace hashmill::detail
