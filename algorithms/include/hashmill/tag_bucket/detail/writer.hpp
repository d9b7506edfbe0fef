#pragma once

#include <hashmill/backends/publish.hpp>
#include <hashmill/key.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/records.hpp>
#include <hashmill/tag_bucket/ref.hpp>

namespace hashmill::detail {

/// What happens to a row whose key is in the table.
enum class OnSameKey {
  link,       // it is linked behind the first row of the key
  represent,  // it stays outside, and the first row of the key is reported
  never,      // no other row has its key; it may have a chain already
};

/// Where a row went.
enum class SlotOutcome : std::uint8_t {
  found,    // its key was there
  filled,   // into an empty slot
  reused,   // into the slot of an erased key
  no_room,  // nowhere: all buckets that were searched are full
};

/// For each row from position `first` on, the number of the row that stands for its key. Without
/// `rows`, nothing is recorded.
template <class Row>
struct Representatives {
  Row* rows = nullptr;
  std::uint64_t first = 0;

  KOKKOS_FORCEINLINE_FUNCTION void set(std::uint64_t i, Row row) const {
    if (rows != nullptr) rows[i - first] = row;
  }
};

/// A TagBucket as the kernels that change it see it. Rows are identified by their position among
/// the keys.
template <class Key, class Row, class Hash, class Equal, class Keys>
struct TagBucketWriter {
  using Ref = TagBucketRef<Key, Row, Hash, Equal, Keys>;
  static constexpr bool carries_keys = ScalarKey<Key>;
  /// What travels through partitioning: the position of the row, with a number that is cheap to
  /// hash again, or with the hash of any other key.
  using Record = TravellingPair<std::conditional_t<carries_keys, Key, std::uint64_t>, Row>;

  Ref ref;
  TagBucketSlots* buckets;
  Row* next_rows;
  bool has_tombstones;
  Representatives<Row> there{};

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Record record(std::uint64_t i) const {
    if constexpr (carries_keys) {
      return {as_stored<Key>(ref.keys()(i)), static_cast<Row>(i)};
    } else {
      return {ref.hasher()(as_stored<Key>(ref.keys()(i))), static_cast<Row>(i)};
    }
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t hash(const Record& record) const {
    if constexpr (carries_keys) {
      return ref.hasher()(first_of(record));
    } else {
      return first_of(record);
    }
  }
  /// The word of row `i` for a slot `away` buckets from home, and the row position in a word.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t word(std::uint64_t i, std::uint64_t hash,
                                                               std::uint64_t away) const {
    return ref.hasher().word(ref.row_base() + i, hash, away);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t position(std::uint64_t word) const {
    return Ref::Words::row(word) - ref.row_base();
  }
  /// Whether the key of a record is that of a slot with its tag, `away` buckets from home.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool equals(std::uint64_t word, const Record& record,
                                                        std::uint64_t hash,
                                                        std::uint64_t away) const {
    if (!ref.hasher().may_be(word, hash, away)) return false;
    if (ref.hasher().tells_apart(away)) return true;
    const std::uint64_t i = position(word);
    if constexpr (carries_keys) {
      return ref.equal()(ref.keys()(i), first_of(record));
    } else {
      return ref.equal()(ref.keys()(i), ref.keys()(second_of(record)));
    }
  }

  /// Whether the keys of two slots with the same tag, in the home bucket of both, are equal.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool same_key(std::uint64_t word,
                                                          std::uint64_t other) const {
    if (!ref.hasher().may_be_same(word, other)) return false;
    if (ref.hasher().tells_apart(0)) return true;
    const std::uint64_t i = position(word), j = position(other);
    if constexpr (carries_keys) {
      return ref.equal()(ref.keys()(i), as_stored<Key>(ref.keys()(j)));
    } else {
      return ref.equal()(ref.keys()(i), ref.keys()(j));
    }
  }

  /// Links row `i` behind the first row of a slot. For the only thread that changes the bucket.
  KOKKOS_FORCEINLINE_FUNCTION void link(TagBucketSlots& slots, unsigned slot, std::uint64_t head,
                                        Row i) const {
    const Row second = next_rows[head];
    next_rows[i] = second == head ? i : second;
    next_rows[head] = i;
    slots.chained |= 1U << slot;
  }
  /// `link`, among threads that link to the same slot and change nothing else.
  KOKKOS_FORCEINLINE_FUNCTION void link_atomically(TagBucketSlots& slots, unsigned slot,
                                                   std::uint64_t head, Row i) const {
    const Row second = Kokkos::atomic_exchange(&next_rows[head], i);
    backends::store_relaxed(&next_rows[i], second == head ? i : second);
    const std::uint32_t bit = 1U << slot;
    if ((backends::load_relaxed(&slots.chained) & bit) == 0) {
      Kokkos::atomic_or(&slots.chained, bit);
    }
  }

  /// Applies `Same` to row `i`, whose key is in the table. For the only thread that changes the
  /// bucket.
  template <OnSameKey Same>
  KOKKOS_FORCEINLINE_FUNCTION void join(TagBucketSlots& slots, unsigned slot, std::uint64_t head,
                                        Row i) const {
    if constexpr (Same == OnSameKey::link) {
      link(slots, slot, head, i);
    } else {
      there.set(i, static_cast<Row>(ref.row_base() + head));
    }
  }
  /// `join`, among threads that do the same and change nothing else.
  template <OnSameKey Same>
  KOKKOS_FORCEINLINE_FUNCTION void join_atomically(TagBucketSlots& slots, unsigned slot,
                                                   std::uint64_t head, Row i) const {
    if constexpr (Same == OnSameKey::link) {
      link_atomically(slots, slot, head, i);
    } else {
      there.set(i, static_cast<Row>(ref.row_base() + head));
    }
  }

  /// Puts a record into an empty slot of its home bucket if no tag there equals its own and the
  /// table has no tombstones. Otherwise prefetches what `insert` will read and returns false. On
  /// hosts only.
  template <OnSameKey Same>
  bool fill_at_once(const Record& record, std::uint64_t hash, std::uint64_t bucket) const {
    TagBucketSlots& slots = buckets[bucket];
    const std::uint8_t tag = ref.bits().tag(hash);
    const backends::TagGroup group(slots.tags);
    const std::uint32_t empty = group.match(empty_tag);
    const std::uint32_t alike = group.match(tag);
    if (Same == OnSameKey::never) {
      backends::prefetch(next_rows + second_of(record));
      return false;
    }
    if (alike != 0) {
      if (!ref.hasher().tells_apart(0)) {
        ref.prefetch_key(ref.row_in(slots, backends::lowest_bit(alike)));
      }
      return false;
    }
    if (empty == 0 || has_tombstones) return false;
    fill<Same>(slots, backends::lowest_bit(empty), tag, word(second_of(record), hash, 0),
               second_of(record));
    return true;
  }

  /// Inserts a record into the buckets [from, end) and probes from the first one. For the only
  /// thread that changes them. All buckets from the record's home up to `from` must be full.
  template <OnSameKey Same>
  KOKKOS_FORCEINLINE_FUNCTION SlotOutcome insert(const Record& record, std::uint64_t hash,
                                                 std::uint64_t from, std::uint64_t end) const {
    return insert_into<Same>(buckets, record, hash, from, end);
  }
  /// `insert`, where bucket b lies at `held[b]`.
  template <OnSameKey Same, class Buckets>
  KOKKOS_FORCEINLINE_FUNCTION SlotOutcome insert_into(const Buckets& held, const Record& record,
                                                      std::uint64_t hash, std::uint64_t from,
                                                      std::uint64_t end) const {
    const std::uint8_t tag = ref.bits().tag(hash);
    const std::uint64_t away = ref.distance(ref.home_of_hash(hash), from);
    std::uint64_t erased = end;  // the first bucket with a tombstone
    for (std::uint64_t b = from; b < end; ++b) {
      TagBucketSlots& slots = held[b];
      const backends::TagGroup group(slots.tags);
      if constexpr (Same != OnSameKey::never) {
        for (std::uint32_t left = group.match(tag); left != 0; left &= left - 1) {
          const unsigned slot = backends::lowest_bit(left);
          const std::uint64_t found = slots.word(slot);
          if (!equals(found, record, hash, away + (b - from))) continue;
          join<Same>(slots, slot, position(found), second_of(record));
          return SlotOutcome::found;
        }
        if (has_tombstones && erased == end && group.match(tombstone_tag) != 0) erased = b;
      }
      const std::uint32_t empty = group.match(empty_tag);
      if (empty != 0) {
        const bool reused = erased != end;
        const std::uint64_t chosen = reused ? erased : b;
        const std::uint32_t free =
            reused ? backends::TagGroup(held[chosen].tags).match(tombstone_tag) : empty;
        fill<Same>(held[chosen], backends::lowest_bit(free), tag,
                   word(second_of(record), hash, away + (chosen - from)), second_of(record));
        return reused ? SlotOutcome::reused : SlotOutcome::filled;
      }
    }
    return SlotOutcome::no_room;
  }
  /// Marks the slot of a row with a chain, among threads that do the same for other slots.
  KOKKOS_FORCEINLINE_FUNCTION void chain_by_team(TagBucketSlots& slots, unsigned slot,
                                                 Row i) const {
    if (next_rows[i] != i) Kokkos::atomic_or(&slots.chained, 1U << slot);
  }
  /// Reports that row `i`, which has a slot, stands for its key.
  KOKKOS_FORCEINLINE_FUNCTION void represent_itself(Row i) const {
    next_rows[i] = i;
    there.set(i, static_cast<Row>(ref.row_base() + i));
  }

 private:
  template <OnSameKey Same>
  KOKKOS_FORCEINLINE_FUNCTION void fill(TagBucketSlots& slots, unsigned slot, std::uint8_t tag,
                                        std::uint64_t word, Row i) const {
    slots.tags[slot] = tag;
    slots.set_word(slot, word);
    if (Same == OnSameKey::never && next_rows[i] != i) slots.chained |= 1U << slot;
    if (Same == OnSameKey::represent) represent_itself(i);
  }
};

}  // namespace hashmill::detail
