#pragma once

#include <hashmill/backends/six_bytes.hpp>
#include <hashmill/backends/tag_match.hpp>

namespace hashmill::detail {

/// Number of slots per bucket.
inline constexpr unsigned tag_bucket_slots = 16;

/// The tag of an empty slot: never used, or erased while its bucket had another empty slot. As long
/// as a bucket has one, no key has gone past the bucket since the last rehash.
inline constexpr std::uint8_t empty_tag = 0;
/// The tag of a slot whose key was erased from a full bucket. Probing goes on behind it.
inline constexpr std::uint8_t tombstone_tag = 0x7F;
/// The tag of a slot that a concurrent insert is writing. None is left when the insert ends.
inline constexpr std::uint8_t claimed_tag = 0x7E;

/// A bucket: two cache lines. The first holds all tags and half of the words. The layout is drawn
/// in tag_bucket.hpp; slot_words.hpp explains the words. TagBucketArray places buckets at lines. In
/// team scratch they lie at multiples of 16 bytes, which is what vector loads of tags need.
struct alignas(16) TagBucketSlots {
  std::uint8_t tags[tag_bucket_slots];
  std::uint16_t words[3 * tag_bucket_slots];
  std::uint32_t unused[3];
  std::uint32_t chained;  // bit s: the key of slot s has further rows

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t word(unsigned slot) const {
    return backends::load_six_bytes(words + std::size_t{3} * slot);
  }
  /// `word`, while other threads write the words of other slots.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t word_alone(unsigned slot) const {
    return backends::load_six_bytes_alone(words + std::size_t{3} * slot);
  }
  KOKKOS_FORCEINLINE_FUNCTION void set_word(unsigned slot, std::uint64_t word) {
    backends::store_six_bytes(words + std::size_t{3} * slot, word);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_chained(unsigned slot) const {
    return (chained >> slot & 1U) != 0;
  }
  /// Which slots hold keys.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t occupied() const {
    const backends::TagGroup group(tags);
    return ~(group.match(empty_tag) | group.match(tombstone_tag)) & 0xFFFFU;
  }
  KOKKOS_FORCEINLINE_FUNCTION void clear() { *this = TagBucketSlots{}; }
};
static_assert(sizeof(TagBucketSlots) == 128 && offsetof(TagBucketSlots, words) == 16 &&
              offsetof(TagBucketSlots, chained) == 124);

}  // namespace hashmill::detail
