#pragma once

#include <hashmill/primitives/insert_result.hpp>
#include <hashmill/tag_bucket/detail/writer.hpp>

namespace hashmill {

/// Inserts rows into a TagBucket from kernels, one at a time and from any number of threads at
/// once. Trivially copyable. Valid until the table grows, is moved or destroyed. Look-ups and
/// erases must not overlap with it. See TagBucket::inserter.
///
/// A row is inserted in three steps:
///
///     1. claim the first empty slot of its bucket, by a tag that says so
///     2. write the word, which has the row number
///     3. write the tag
///
/// A thread that meets a claimed slot reads it again until the tag is there. The claiming thread
/// gets there without waiting for anyone. So two rows with one key cannot both take a slot.
/// Tombstones stay.
///
/// Cost: one random access and two atomics, and one more access to the chain of a key that is
/// present. If every slot is taken, an absent key costs the tags of all buckets.
template <class Writer>
class TagBucketInserter {
  using Slots = detail::TagBucketSlots;
  using Record = typename Writer::Record;
  using Row = detail::SecondOf<Record>;

 public:
  /// Made by TagBucket::inserter.
  explicit TagBucketInserter(const Writer& writer) : writer_(writer) {}

  /// Inserts the row of the key at position `i`. Visits every bucket at most once. Returns:
  ///
  ///     inserted   the row is in the table now
  ///     existing   the row was in the table
  ///     full       every slot is taken, and none has the key
  [[nodiscard]] KOKKOS_FUNCTION InsertOutcome insert(std::uint64_t i) const {
    const auto row = static_cast<Row>(i);
    Row* const link = writer_.next_rows + i;
    if (Kokkos::atomic_compare_exchange(link, no_row<Row>, row) != no_row<Row>) {
      return InsertOutcome::existing;
    }
    const Record record = writer_.record(i);
    const std::uint64_t hash = writer_.hash(record), buckets = writer_.ref.num_buckets();
    const std::uint8_t tag = writer_.ref.bits().tag(hash);
    std::uint64_t b = writer_.ref.home_of_hash(hash);
    for (std::uint64_t away = 0; away < buckets; ++away) {
      if (insert_into(writer_.buckets[b], {tag, hash, away}, record)) {
        return InsertOutcome::inserted;
      }
      b = b + 1 == buckets ? 0 : b + 1;
    }
    backends::store_relaxed(link, no_row<Row>);
    return InsertOutcome::full;
  }

  /// Prefetches what `insert` reads first. On hosts only.
  void prefetch(std::uint64_t i) const { writer_.ref.prefetch(writer_.hash(writer_.record(i))); }

 private:
  /// The tag and hash of a key, and how many buckets away from home it is looked for.
  struct Place {
    std::uint8_t tag;
    std::uint64_t hash;
    std::uint64_t away;
  };

  /// Returns false if all slots of the bucket have other keys. Each further turn of the loop
  /// follows from what another thread did, or is doing, to the bucket. One loop handles all of this
  /// and has one exit. Where lanes run in step, a lane that reads again lets the lane that writes
  /// go on.
  KOKKOS_FORCEINLINE_FUNCTION bool insert_into(Slots& slots, const Place& place,
                                               const Record& record) const {
    bool inserted = false, full = false;
    while (!inserted && !full) {
      const backends::TagBytes seen = load_tags(slots);
      const std::uint32_t empty = match(seen, detail::empty_tag);
      if (match(seen, detail::claimed_tag) != 0) {
        // the slot that is being written may have this key
      } else if (join(slots, seen, place, record)) {
        inserted = true;
      } else if (empty == 0) {
        full = true;
      } else {
        inserted = fill(slots, backends::lowest_bit(empty), seen, place, second_of(record));
      }
    }
    return inserted;
  }
  /// Whether the key is among the slots seen. If so, links the row to its other rows.
  KOKKOS_FORCEINLINE_FUNCTION bool join(Slots& slots, const backends::TagBytes& seen,
                                        const Place& place, const Record& record) const {
    for (std::uint32_t left = match(seen, place.tag); left != 0; left &= left - 1) {
      const unsigned slot = backends::lowest_bit(left);
      const std::uint64_t word = slots.word_alone(slot);
      if (!writer_.equals(word, record, place.hash, place.away)) continue;
      writer_.link_atomically(slots, slot, writer_.position(word), second_of(record));
      return true;
    }
    return false;
  }
  /// Whether this thread got the slot, the first empty one of those seen.
  KOKKOS_FORCEINLINE_FUNCTION bool fill(Slots& slots, unsigned slot, const backends::TagBytes& seen,
                                        const Place& place, Row i) const {
    std::uint64_t* const half = reinterpret_cast<std::uint64_t*>(slots.tags) + slot / 8;
    const std::uint64_t before = slot < 8 ? seen.low : seen.high;
    const unsigned shift = slot % 8 * 8;
    const std::uint64_t claimed = before | std::uint64_t{detail::claimed_tag} << shift;
    if (Kokkos::atomic_compare_exchange(half, before, claimed) != before) return false;
    slots.set_word(slot, writer_.word(i, place.hash, place.away));
    backends::store_release(half, before | std::uint64_t{place.tag} << shift);
    return true;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static backends::TagBytes load_tags(
      const Slots& slots) {
    const auto* const halves = reinterpret_cast<const std::uint64_t*>(slots.tags);
    const std::uint64_t low = backends::load_acquire(halves);
    return {low, backends::load_acquire(halves + 1)};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t match(
      const backends::TagBytes& tags, std::uint8_t tag) {
    return backends::match_tags_in_words(tags, tag);
  }

  Writer writer_;
};

namespace detail {

/// Inserts row first + i.
template <class Inserter>
struct InsertEachRow {
  Inserter inserter;
  std::uint64_t first;
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(std::uint64_t i) const {
    return inserter.insert(first + i);
  }
  void prefetch(std::uint64_t i) const { inserter.prefetch(first + i); }
};

}  // namespace detail
}  // namespace hashmill
