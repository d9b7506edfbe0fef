#pragma once

#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/partition/detail/tiles.hpp>
#include <hashmill/tag_bucket/detail/team_scratch.hpp>
#include <hashmill/tag_bucket/detail/writer.hpp>

namespace hashmill::detail {

/// The n-th set bit of a mask of 16 slots, or 16 if it has fewer. Mostly they are the last ones.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned nth_slot(std::uint32_t mask, std::uint32_t n) {
  constexpr std::uint32_t none = tag_bucket_slots, end = 1U << none;
  if (mask == 0) return none;
  const std::uint32_t first = backends::lowest_bit(mask);
  if (mask + (1U << first) == end) return first + n < none ? first + n : none;
  for (; n != 0 && mask != 0; --n) mask &= mask - 1;
  return mask == 0 ? none : backends::lowest_bit(mask);
}

/// Inserts records into their home buckets in team scratch, all at once: a thread takes a record,
/// not a bucket.
///
///     1  finds the empty slots of each bucket
///     2  each record takes the next of them by a counter of its bucket
///     3  slots with the tag of an older slot of their bucket are listed; where words tell keys
///        apart, only those with the same key. Slots that were empty are older if they come first
///     4  those that have the key of an older slot join it
///     5  and leave their slots
///
/// Records that get no slot are put off: the first few to scratch, others to the front of the
/// records of the range. In most rounds 4 and 5 have little to do. Keys are read there, one at
/// random for each listed slot, all at the same time.
template <class Exec, class Writer, OnSameKey Same>
class InsertAtHomes {
 public:
  using Member = typename TagTeams<Exec>::Member;
  using Record = typename Writer::Record;
  using Stage = TagStage<Exec, Record>;
  using Scratch = TagTeamScratch<Exec, Record>;
  using Row = SecondOf<Record>;
  static constexpr std::uint32_t size = TagTeams<Exec>::threads;
  static constexpr unsigned items = Stage::items;

  /// `records`: the first of the range.
  KOKKOS_FORCEINLINE_FUNCTION InsertAtHomes(const Member& team, const Writer& writer,
                                            const Scratch& scratch, Record* records)
      : team_(team), writer_(writer), scratch_(scratch), records_(records) {}

  /// Inserts `count` records. `bring_in` brings the buckets into scratch; they are empty if
  /// `fresh`. Put a barrier behind it. Returns for how many rows this thread found their keys.
  template <class BringIn>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t insert(std::uint32_t count, bool fresh,
                                                   const BringIn& bring_in) const {
    const auto rank = static_cast<std::uint32_t>(team_.team_rank());
    const std::uint32_t first = backends::spread_rank<Exec, size>(rank);
    Tile tile{};
    tile.count = count;
    std::uint32_t found = 0, done = 0, parity = 0;
    HASHMILL_UNROLL(1)
    do {
      Record held[items];
      std::uint32_t codes[items];
      read_records<size>(RecordSource<Record>{records_}, tile, done + first, held);
      if (done == 0) bring_in();
      if (rank == 0) scratch_.memory->alike[parity] = 0;
      const bool blank = fresh && done == 0;
      if (!blank) team_.team_barrier();  // the buckets are there
      find_empty(rank, blank);
      team_.team_barrier();
      backends::unrolled<items>([&](unsigned k) {
        codes[k] = done + first + k * size < count ? claim(held[k]) : nowhere;
      });
      if constexpr (Same != OnSameKey::never) {
        team_.team_barrier();
        backends::unrolled<items>([&](unsigned k) { list_if_alike(codes[k], parity); });
        team_.team_barrier();
        const std::uint32_t number = scratch_.memory->alike[parity];
        if (number != 0) found += join_listed(rank, number);
        if constexpr (Same == OnSameKey::represent) {
          if (number != 0) team_.team_barrier();
          backends::unrolled<items>([&](unsigned k) { represent(codes[k]); });
        }
      }
      done += Stage::round;
      parity ^= 1;  // threads that still read the number of slots listed read the other one
    } while (done < count);
    return found;
  }

 private:
  // A slot and its tag: tag << 16 | bucket << 4 | slot. Tags of keys have fewer bits than words.
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  static constexpr ListedTagSlot unlisted = 0xFFFF;
  static_assert(tag_bucket_slots == 16 && Stage::bucket_bits < 12);

  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bucket_of(std::uint32_t code) {
    return code >> 4 & (Stage::buckets - 1);
  }
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION unsigned slot_of(std::uint32_t code) {
    return code & (tag_bucket_slots - 1);
  }

  /// Sets the counters of buckets to 0 and their places to masks of their empty slots.
  KOKKOS_FORCEINLINE_FUNCTION void find_empty(std::uint32_t rank, bool blank) const {
    for (std::uint32_t b = rank; b < scratch_.buckets; b += size) {
      scratch_.memory->counts[b] = 0;
      scratch_.memory->places[b] =
          blank ? (1U << tag_bucket_slots) - 1
                : backends::TagGroup(scratch_.slots(b).tags).match(empty_tag);
    }
  }
  /// Writes a record to an empty slot of its home bucket, or puts it off.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t claim(const Record& record) const {
    const std::uint64_t hash = writer_.hash(record);
    const auto b = static_cast<std::uint32_t>(writer_.ref.home_of_hash(hash) - scratch_.first);
    const std::uint32_t before =
        backends::team_fetch_add<Exec>(scratch_.memory->counts + b, std::uint32_t{1});
    const unsigned slot = nth_slot(scratch_.memory->places[b], before);
    if (slot == tag_bucket_slots) {
      put_off(record);
      return nowhere;
    }
    const std::uint8_t tag = writer_.ref.bits().tag(hash);
    TagBucketSlots& slots = scratch_.slots(b);
    slots.tags[slot] = tag;
    slots.set_word(slot, writer_.word(second_of(record), hash, 0));
    if (Same == OnSameKey::never) writer_.chain_by_team(slots, slot, second_of(record));
    return std::uint32_t{tag} << 16 | b << 4 | slot;
  }
  KOKKOS_FORCEINLINE_FUNCTION void put_off(const Record& record) const {
    const std::uint32_t place =
        backends::team_fetch_add<Exec>(&scratch_.memory->over, std::uint32_t{1});
    if (place < Stage::few) {
      scratch_.memory->few[place] = record;
    } else {
      records_[place] = record;
    }
  }
  /// Lists a slot if an older slot of its bucket may have its key.
  KOKKOS_FORCEINLINE_FUNCTION void list_if_alike(std::uint32_t code, std::uint32_t parity) const {
    if (code == nowhere) return;
    const std::uint32_t b = bucket_of(code);
    const unsigned slot = slot_of(code);
    const TagBucketSlots& slots = scratch_.slots(b);
    const auto tag = static_cast<std::uint8_t>(code >> 16);
    std::uint32_t alike = backends::TagGroup(slots.tags).match(tag) & ~(1U << slot);
    if (alike == 0) return;
    alike &= older(scratch_.memory->places[b], slot);
    const std::uint64_t word = slots.word(slot);
    while (alike != 0 &&
           !writer_.ref.hasher().may_be_same(slots.word(backends::lowest_bit(alike)), word)) {
      alike &= alike - 1;
    }
    if (alike == 0) return;
    const std::uint32_t place =
        backends::team_fetch_add<Exec>(scratch_.memory->alike + parity, std::uint32_t{1});
    scratch_.listed()[place] = static_cast<ListedTagSlot>(code);
  }
  /// The slots that are older than one of `empty`.
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t older(std::uint32_t empty,
                                                                       unsigned slot) {
    return ~empty | ((1U << slot) - 1);
  }

  /// Lets listed slots join those with their keys. Returns how many of this thread did.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t join_listed(std::uint32_t rank,
                                                                      std::uint32_t number) const {
    ListedTagSlot* const listed = scratch_.listed();
    std::uint32_t found = 0;
    HASHMILL_UNROLL(1)
    for (std::uint32_t j = rank; j < number; j += size) {
      const bool joined = join_slot(listed[j]);
      found += joined ? 1 : 0;
      if (!joined) listed[j] = unlisted;
    }
    team_.team_barrier();  // slots are compared with slots that others are to leave
    HASHMILL_UNROLL(1)
    for (std::uint32_t j = rank; j < number; j += size) {
      if (listed[j] == unlisted) continue;
      TagBucketSlots& slots = scratch_.slots(bucket_of(listed[j]));
      slots.tags[slot_of(listed[j])] = empty_tag;
      slots.set_word(slot_of(listed[j]), 0);
    }
    return found;
  }
  /// Lets a slot join the oldest one with its key, if it is not the oldest itself.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool join_slot(std::uint32_t code) const {
    const std::uint32_t b = bucket_of(code);
    const unsigned slot = slot_of(code);
    TagBucketSlots& slots = scratch_.slots(b);
    const std::uint32_t empty = scratch_.memory->places[b];
    const std::uint32_t alike =
        backends::TagGroup(slots.tags).match(slots.tags[slot]) & older(empty, slot);
    return joins_one_of(slots, slot, alike & ~empty) || joins_one_of(slots, slot, alike & empty);
  }
  /// Lets a slot join the first of the slots `alike` that has its key. Whether one has.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool joins_one_of(TagBucketSlots& slots, unsigned slot,
                                                              std::uint32_t alike) const {
    const std::uint64_t word = slots.word(slot);
    for (; alike != 0; alike &= alike - 1) {
      const unsigned other = backends::lowest_bit(alike);
      const std::uint64_t head = slots.word(other);
      if (!writer_.same_key(head, word)) continue;
      writer_.template join_atomically<Same>(slots, other, writer_.position(head),
                                             static_cast<Row>(writer_.position(word)));
      return true;
    }
    return false;
  }
  /// Lets the row of a slot represent itself, unless it has left the slot.
  KOKKOS_FORCEINLINE_FUNCTION void represent(std::uint32_t code) const {
    if (code == nowhere) return;
    const TagBucketSlots& slots = scratch_.slots(bucket_of(code));
    if (slots.tags[slot_of(code)] == empty_tag) return;
    writer_.represent_itself(static_cast<Row>(writer_.position(slots.word(slot_of(code)))));
  }

  const Member& team_;
  const Writer& writer_;
  const Scratch& scratch_;
  Record* records_;
};

}  // namespace hashmill::detail
