#pragma once

#include <hashmill/backends/streaming.hpp>
#include <hashmill/multi_map/hashed_key.hpp>
#include <hashmill/row.hpp>
#include <hashmill/tag_bucket/detail/slot_words.hpp>
#include <hashmill/tag_bucket/detail/slots.hpp>
#include <hashmill/tag_bucket/hash_bits.hpp>

namespace hashmill {

/// A TagBucket as kernels see it: trivially copyable, owns nothing. Valid until its table is
/// changed, moved or destroyed. The caller's keys must be valid too.
///
/// Any number of threads may call any members at once. A look-up makes one to three random accesses
/// for a present key, and one for most absent keys:
///
///     1. the first line of the bucket: all tags, and the words of slots 0 to 7
///     2. if a tag matches in slots 8 to 15, the second line
///     3. if a tag matches, the caller's key, unless the word tells
///
/// While buckets are full it goes on to the next one, at most once around the table.
template <class Key, RowNumber Row, class Hash, class Equal, class Keys>
class TagBucketRef {
 public:
  using key_type = Key;
  using row_type = Row;
  using Slots = detail::TagBucketSlots;
  using Words = detail::TagSlotWords<Key, Row, Hash, Equal>;

  /// A place in the table, with the row number that is stored there. `slot` is `tag_bucket_slots`
  /// if there is none.
  struct Place {
    std::uint64_t bucket;
    unsigned slot;
    std::uint64_t row;
    /// Whether there is such a place.
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool found() const {
      return slot != detail::tag_bucket_slots;
    }
  };

  /// A vacant ref, in which nothing is found. TagBucket::ref() makes the others.
  TagBucketRef() = default;
  /// Used by its table, whose `ref()` makes one.
  TagBucketRef(const Slots* buckets, TagHashBits bits, const Row* next_rows, const Keys& keys,
               std::uint64_t row_base, Words words, Equal equal)
      : buckets_(buckets),
        bits_(bits),
        next_rows_(next_rows),
        row_base_(row_base),
        keys_(keys),
        words_(words),
        equal_(equal) {}

  /// Whether any row has that key. A `SearchKey` is a Key, a key with its hash (HashedKey), or a
  /// key with its first candidate (CandidateKey).
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const SearchKey& key) const {
    return locate(key).found();
  }

  /// One row with that key, or `no_row<Row>`.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row find(const SearchKey& key) const {
    const Place place = locate(key);
    return place.found() ? static_cast<Row>(place.row) : no_row<Row>;
  }

  /// How many rows have that key. Costs one random access per row after the first.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const SearchKey& key) const {
    return count_at(locate(key));
  }

  /// Calls `f(row)` for every row whose key equals `key`, in no particular order.
  template <class SearchKey = Key, class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const SearchKey& key, const F& f) const {
    for_each_at(locate(key), f);
  }

  /// The bucket at which the search for a hash begins.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t home_of_hash(std::uint64_t hash) const {
    return bits_.bucket(hash);
  }
  /// Prefetches the first line of a bucket: its tags and half of its words. On hosts only.
  void prefetch_home(std::uint64_t bucket) const { backends::prefetch_far(buckets_ + bucket); }
  /// Prefetches the first line of the home bucket of a hash. On hosts only.
  void prefetch(std::uint64_t hash) const { prefetch_home(home_of_hash(hash)); }
  /// The first slot with the tag of a hash, or `tag_bucket_slots`. Call it once the first line of
  /// the bucket has arrived. Prefetches the word of the slot, which lies in the second line one
  /// time in seven if the table is half full. Has no branch, because a branch could not be
  /// predicted.
  [[nodiscard]] std::uint8_t candidate(std::uint64_t bucket, std::uint64_t hash) const {
    const Slots& slots = buckets_[bucket];
    const std::uint32_t alike = backends::TagGroup(slots.tags).match(bits_.tag(hash));
    const unsigned slot = backends::lowest_bit(alike | 1U << detail::tag_bucket_slots);
    backends::prefetch_far(slots.words + std::size_t{3} * (slot % detail::tag_bucket_slots));
    return static_cast<std::uint8_t>(slot);
  }
  /// Prefetches the key of the row of a candidate, if the key will be read. Call it once the word
  /// has arrived.
  void read(std::uint64_t bucket, unsigned slot) const {
    if (words_.tells_apart(0) || slot == detail::tag_bucket_slots) return;
    prefetch_key(row_in(buckets_[bucket], slot));
  }
  /// Prefetches the key of a row, if keys lie in a view.
  void prefetch_key([[maybe_unused]] std::uint64_t row) const {
    if constexpr (requires { keys_.address(0); })
      backends::prefetch_far(keys_.address(row - row_base_));
  }

  /// The place of a key, where its first row is recorded.
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Place locate(const SearchKey& key) const {
    if (!detail::can_be_key<Key>(key)) return {0, detail::tag_bucket_slots, 0};
    return locate_hashed(detail::hashed(*this, key));
  }

  /// Whether the table has no buckets, because it was moved from.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_vacant() const { return num_buckets() == 0; }
  /// Number of buckets of 16 slots.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t num_buckets() const {
    return bits_.num_buckets();
  }
  /// The slots of a bucket.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Slots& slots(std::uint64_t bucket) const {
    return buckets_[bucket];
  }
  /// How many buckets after `home` a bucket lies. The first one follows the last.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t distance(std::uint64_t home,
                                                                   std::uint64_t bucket) const {
    return bucket >= home ? bucket - home : bucket + bits_.num_buckets() - home;
  }
  /// The number of the first row of the key in a slot.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t row_in(const Slots& slots,
                                                                        unsigned slot) {
    return Words::row(slots.word(slot));
  }
  /// Which bits of a hash make bucket and tag.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const TagHashBits& bits() const { return bits_; }
  /// The function that hashes keys in this table.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Words& hasher() const { return words_; }
  /// The equality of keys, the keys, and the row number of the first one.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Equal& equal() const { return equal_; }
  /// The caller's keys.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Keys& keys() const { return keys_; }
  /// The row number of the first key.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t row_base() const { return row_base_; }
  /// The position, among the keys, of the row after that of key `i`, or `i` itself for the last
  /// row.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t next(std::uint64_t i) const {
    return next_rows_[i];
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Place
  locate_hashed(const CandidateKey<Key>& key) const {
    if (key.candidate != detail::tag_bucket_slots) {
      const std::uint64_t word = buckets_[key.home].word(key.candidate);
      if (is_key(word, key.key, key.hash, 0)) return {key.home, key.candidate, Words::row(word)};
    }
    return locate(key.key, key.hash);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Place locate_hashed(const HashedKey<Key>& key) const {
    return locate(key.key, key.hash);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Place locate(const Key& key, std::uint64_t hash) const {
    const std::uint8_t tag = bits_.tag(hash);
    std::uint64_t b = home_of_hash(hash);
    for (std::uint64_t away = 0; away < bits_.num_buckets(); ++away) {
      const Slots& slots = buckets_[b];
      const backends::TagGroup group(slots.tags);
      for (std::uint32_t left = group.match(tag); left != 0; left &= left - 1) {
        const unsigned slot = backends::lowest_bit(left);
        const std::uint64_t word = slots.word(slot);
        if (is_key(word, key, hash, away)) return {b, slot, Words::row(word)};
      }
      if (group.match(detail::empty_tag) != 0) break;
      b = b + 1 == bits_.num_buckets() ? 0 : b + 1;
    }
    return {0, detail::tag_bucket_slots, 0};
  }
  /// Whether a slot with the tag of a key, `away` buckets from its home, has that key.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_key(std::uint64_t word, const Key& key,
                                                        std::uint64_t hash,
                                                        std::uint64_t away) const {
    if (!words_.may_be(word, hash, away)) return false;
    return words_.tells_apart(away) || equal_(keys_(Words::row(word) - row_base_), key);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count_at(const Place& place) const {
    if (!place.found()) return 0;
    std::uint64_t rows = 1;
    if (!buckets_[place.bucket].is_chained(place.slot)) return rows;
    std::uint64_t i = place.row - row_base_;
    for (std::uint64_t j = next(i); j != i; j = next(i)) {
      i = j;
      ++rows;
    }
    return rows;
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_at(const Place& place, const F& f) const {
    if (!place.found()) return;
    f(static_cast<Row>(place.row));
    if (!buckets_[place.bucket].is_chained(place.slot)) return;
    std::uint64_t i = place.row - row_base_;
    for (std::uint64_t j = next(i); j != i; j = next(i)) {
      i = j;
      f(static_cast<Row>(row_base_ + i));
    }
  }

  const Slots* buckets_ = nullptr;
  TagHashBits bits_;
  const Row* next_rows_ = nullptr;
  std::uint64_t row_base_ = 0;
  Keys keys_;
  Words words_;
  Equal equal_;
};

}  // namespace hashmill
