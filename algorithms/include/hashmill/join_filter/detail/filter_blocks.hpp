#pragma once

#include <hashmill/bloom_filter/detail/add.hpp>
#include <hashmill/join_filter/ref.hpp>

namespace hashmill::detail {

// The memory of a JoinFilter: blocks of 32 bytes, whose words are those of a bitmap or of a Bloom
// filter.

/// The spans of key ranges for which a bitmap is chosen. It takes at most 8 MiB.
inline constexpr std::uint64_t filter_span_limit = std::uint64_t{1} << 26;

/// The bounds between which all keys are.
inline constexpr KeyBounds all_keys{0, ~std::uint64_t{0}};

/// The kind of filter that options ask for.
template <class Key>
[[nodiscard]] JoinFilterKind filter_kind(const JoinFilterOptions& options) {
  const bool small = options.key_range && options.key_range->span < filter_span_limit;
  return NumberKey<Key>::exists && small ? JoinFilterKind::bitmap : JoinFilterKind::bloom;
}

/// The number of blocks. Throws as `bloom_blocks` does.
template <class Key>
[[nodiscard]] std::uint64_t filter_blocks(const JoinFilterOptions& options) {
  if (filter_kind<Key>(options) == JoinFilterKind::bitmap) {
    constexpr std::uint64_t words = sizeof(BloomBlock) / sizeof(std::uint64_t);
    return (KeyBitmapRef<Key>::words_for(options.key_range->span) + words - 1) / words;
  }
  BloomFilterOptions bloom;
  bloom.bits_per_key = options.bits_per_key;
  return bloom_blocks(bloom, options.keys);
}

/// The bounds of a range of keys, none for no range.
template <class Key>
[[nodiscard]] KeyBounds bounds_of([[maybe_unused]] const std::optional<KeyRange>& range) {
  if constexpr (NumberKey<Key>::exists) {
    if (!range) return {};
    using Number = IntegerOf<8, std::is_signed_v<typename NumberKey<Key>::Number>>;
    const std::uint64_t least = ordered_bits(static_cast<Number>(range->min));
    return {least, least + range->span};
  }
  return all_keys;
}

/// A filter in given blocks. `hash` is the function that it uses itself.
template <class Key, class Hash>
[[nodiscard]] JoinFilterRef<Key, Hash> filter_in(BloomBlock* blocks, std::uint64_t num_blocks,
                                                 const JoinFilterOptions& options,
                                                 const KeyBounds& bounds, const Hash& hash) {
  using Ref = JoinFilterRef<Key, Hash>;
  if (num_blocks == 0) return Ref();
  if (filter_kind<Key>(options) == JoinFilterKind::bitmap) {
    const KeyPlace<Key> places{bounds_of<Key>(options.key_range).least, options.key_range->span};
    return Ref(KeyBitmapRef<Key>(&blocks->pairs[0], places));
  }
  return Ref(
      BoundedBloomRef<Key, Hash>(BloomFilterRef<Key, Hash>(blocks, num_blocks, hash), bounds));
}

}  // namespace hashmill::detail
