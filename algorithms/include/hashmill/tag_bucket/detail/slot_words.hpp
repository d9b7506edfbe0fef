#pragma once

#include <concepts>
#include <hashmill/hash.hpp>
#include <hashmill/key.hpp>

namespace hashmill::detail {

/// What the 48 bits of a slot of a TagBucket mean, and the hash function that goes with them.
///
/// In general they are a row number, and keys are compared in the caller's columns. Row numbers of
/// 32 bits leave 16 bits free. These can identify a whole number of at most 32 bits, together with
/// its place:
///
///     bucket   follows from the high bits of a one-to-one function of the key
///     tag      the lowest 7 bits of that function
///     slot     the next 15 bits, the remainder
///
/// Keys are not read then. (Cleary, "Compact Hash Tables Using Bidirectional Linear Probing", IEEE
/// Trans. Computers C-33-9, 1984.)
///
///     47    46        32 31         0
///     | far | remainder |   row     |
///
/// Two function values with the same lowest 22 bits differ by at least 2^22 of 2^32. Their home
/// buckets then differ by at least num_buckets / 1024 - 1, the reach. At a smaller distance from
/// home, equal bits mean equal keys. A key farther away is stored as far, without its remainder,
/// and compared in the caller's columns. Tables of fewer than 2048 buckets, which fit caches, have
/// no reach.
template <class Key, class Row, class Hash, class Equal>
class TagSlotWords {
  static constexpr bool has_remainders = PermutingHashFor<Hash, Key> && sizeof(Key) <= 4 &&
                                         sizeof(Row) == 4 && std::same_as<Equal, KeyEqual>;
  static constexpr unsigned tag_bits = 7, remainder_bits = 15;
  static constexpr std::uint64_t far = std::uint64_t{1} << remainder_bits;

 public:
  TagSlotWords() = default;
  /// `permutes`: hash by the one-to-one function, if `Hash` has one.
  TagSlotWords(Hash hash, std::uint64_t num_buckets, bool permutes)
      : hash_(hash), permutes_(permutes) {
    const std::uint64_t reach = num_buckets >> (32 - tag_bits - remainder_bits);
    if (permutes && reach != 0) reach_ = reach - 1;
  }

  /// The hash of a key, by which the table places it.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Key& key) const {
    if constexpr (has_remainders) {
      if (permutes_) return hash_.permute(key) * ((std::uint64_t{1} << 32) + 1);
    }
    return hash_(key);
  }

  /// The hash function of the table.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Hash& function() const { return hash_; }

  /// Whether a slot `away` buckets from the home of its key tells that key from all others.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool tells_apart(std::uint64_t away) const {
    return has_remainders && away < reach_;
  }
  /// The word of a row, for a slot `away` buckets from home.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t word(std::uint64_t row,
                                                               std::uint64_t hash,
                                                               std::uint64_t away) const {
    if constexpr (has_remainders) return row | rest(hash, away) << 32;
    return row;
  }
  /// Whether a slot with the tag of a hash can have that key. If `tells_apart(away)`, it has.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool may_be(std::uint64_t word, std::uint64_t hash,
                                                        std::uint64_t away) const {
    if constexpr (has_remainders) return word >> 32 == rest(hash, away);
    return true;
  }
  /// Whether words with the same tag in a bucket that is the home of both can have the same key. If
  /// `tells_apart(0)`, they have.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static bool may_be_same(std::uint64_t word,
                                                                    std::uint64_t other) {
    if constexpr (has_remainders) return word >> 32 == other >> 32;
    return true;
  }
  /// The row number in a word.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t row(std::uint64_t word) {
    if constexpr (has_remainders) return static_cast<std::uint32_t>(word);
    return word;
  }
  /// The word of another row with the same key in the same slot.
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
