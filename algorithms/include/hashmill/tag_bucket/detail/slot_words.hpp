#pragma once

#include <concepts>
#include <hashmill/hash.hpp>
#include <hashmill/key.hpp>

namespace hashmill::detail {

/// What the 48 bits of a TagBucket's slot mean, and the hash function that goes with it.
///
/// In general they are a row number, and keys are compared in the caller's columns. Row numbers of
/// 32 bits leave 16, in which a whole number of at most 32 bits says what its place does not: the
/// bucket follows from the high bits of a one-to-one function of the key, the tag is its lowest 7,
/// the slot has the next 15. Keys are not read then. (Cleary, "Compact Hash Tables Using
/// Bidirectional Linear Probing", IEEE Trans. Computers C-33-9, 1984.)
///
///     47    46        32 31         0
///     | far | remainder |   row     |
///
/// Two keys with the same lowest 22 bits differ by 2^22 of 2^32 at least, so their home buckets by
/// num_buckets / 1024 - 1, the reach: at a smaller distance from home, equal bits are equal keys. A
/// key further away is stored as far, without its remainder, and compared where it lies. Tables of
/// fewer than 2048 buckets, which caches hold, have no reach.
template <class Key, class Row, class Hash, class Equal>
class TagSlotWords {
  static constexpr bool has_remainders = PermutingHashFor<Hash, Key> && sizeof(Key) <= 4 &&
                                         sizeof(Row) == 4 && std::same_as<Equal, KeyEqual>;
  static constexpr unsigned tag_bits = 7, remainder_bits = 15;
  static constexpr std::uint64_t far = std::uint64_t{1} << remainder_bits;

 public:
  TagSlotWords() = default;
  /// `permutes`: hash by the one-to-one function, if there is one.
  TagSlotWords(Hash hash, std::uint64_t num_buckets, bool permutes)
      : hash_(hash), permutes_(permutes) {
    const std::uint64_t reach = num_buckets >> (32 - tag_bits - remainder_bits);
    if (permutes && reach != 0) reach_ = reach - 1;
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Key& key) const {
    if constexpr (has_remainders) {
      if (permutes_) return hash_.permute(key) * ((std::uint64_t{1} << 32) + 1);
    }
    return hash_(key);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Hash& function() const { return hash_; }

  /// Whether a slot `away` buckets from its key's home tells it from all keys.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool tells_apart(std::uint64_t away) const {
    return has_remainders && away < reach_;
  }
  /// What a slot says of a row.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t word(std::uint64_t row,
                                                               std::uint64_t hash,
                                                               std::uint64_t away) const {
    if constexpr (has_remainders) return row | rest(hash, away) << 32;
    return row;
  }
  /// Whether a slot with the tag of a hash can be that key's; it is if `tells_apart(away)`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool may_be(std::uint64_t word, std::uint64_t hash,
                                                        std::uint64_t away) const {
    if constexpr (has_remainders) return word >> 32 == rest(hash, away);
    return true;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t row(std::uint64_t word) {
    if constexpr (has_remainders) return static_cast<std::uint32_t>(word);
    return word;
  }
  /// The word of another row with the same key, in the same place.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t with_row(std::uint64_t word,
                                                                          std::uint64_t other) {
    return word - row(word) + other;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t rest(std::uint64_t hash,
                                                               std::uint64_t away) const {
    return away < reach_ ? hash >> tag_bits & (far - 1) : far;
  }

  Hash hash_{};
  std::uint64_t reach_ = 0;
  bool permutes_ = false;
};

}  // namespace hashmill::detail
