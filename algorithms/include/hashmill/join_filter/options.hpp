#pragma once

#include <cstdint>
#include <hashmill/bloom_filter/options.hpp>
#include <hashmill/key_mode.hpp>
#include <optional>

namespace hashmill {

/// How a JoinFilter tells its keys.
enum class JoinFilterKind {
  bitmap,  ///< one bit per number of the key range: exact
  bloom,   ///< a BloomFilter: lets a few absent keys through
};

/// What is known of the keys of a JoinFilter before the first is added. It decides kind and size.
/// Filters that will be merged need the same options, so ranks agree on these before they read
/// keys.
struct JoinFilterOptions {
  /// How many distinct keys will be added: in all batches, and in all filters that are merged. More
  /// may be added, but then a Bloom filter lets more absent keys through.
  std::uint64_t keys = 0;
  /// The range of all keys that will be added, as 64 bits of the filter's key type. For keys that
  /// are integers, alone or in one column. See `key_range`.
  std::optional<KeyRange> key_range{};
  /// Bits of a Bloom filter per key, 1 to 1024. With 8, about 3 % of absent keys pass.
  double bits_per_key = 8;
};

/// The least and the greatest key of a filter, as 64 bits in the order of unsigned numbers: those
/// of signed keys have their highest bit flipped. Without keys, `least` is above `greatest`. Ranks
/// combine theirs by the minimum of `least` and the maximum of `greatest`.
struct KeyBounds {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t greatest = 0;
  friend bool operator==(const KeyBounds&, const KeyBounds&) = default;
};

}  // namespace hashmill
