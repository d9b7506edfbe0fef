#pragma once

#include <algorithm>
#include <bit>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/join/hash_join_options.hpp>
#include <hashmill/join_filter/detail/filter_blocks.hpp>
#include <hashmill/join_filter/detail/passing_rows.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>
#include <optional>

namespace hashmill::detail {

/// A share of all possible keys, chosen by their hash. The keys of both sides are sampled alike, so
/// what the sampled rows show holds for the others.
struct KeySample {
  unsigned bits;  // one key of 2^bits is in the sample
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool holds(std::uint64_t hash) const {
    return (hash * 0x9e3779b97f4a7c15) >> 1 >> (63 - bits) == 0;
  }
};

/// Adds the keys of a sample to a filter.
template <class Ref, class Keys>
struct AddSample {
  Ref ref;
  Keys keys;
  KeySample sample;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const typename Ref::key_type key = keys(static_cast<std::uint64_t>(i));
    const std::uint64_t hash = ref.hasher()(key);
    if (sample.holds(hash)) ref.add(HashedKey<typename Ref::key_type>{key, hash});
  }
};

/// Reads every `stride`th row. Counts those whose keys are in a sample, and those of them that a
/// filter lets through.
template <class Ref, class Keys>
struct CountPassing {
  Ref ref;
  Keys keys;
  KeySample sample;
  std::uint64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& rows,
                                  std::uint64_t& passing) const {
    const typename Ref::key_type key = keys(static_cast<std::uint64_t>(i) * stride);
    const std::uint64_t hash = ref.hasher()(key);
    if (!sample.holds(hash)) return;
    ++rows;
    if (ref.contains(HashedKey<typename Ref::key_type>{key, hash})) ++passing;
  }
};

/// Options of a filter of the right side. `ByValue`: equal keys are equal numbers, so that a bitmap
/// can tell them. A bitmap takes at most 8 bytes per left row. Reads numbers once, for their range.
template <bool ByValue, class Exec, class Right>
[[nodiscard]] JoinFilterOptions filter_options(const Exec& exec, std::uint64_t left_rows,
                                               const Right& right) {
  constexpr std::uint64_t bits_per_row = 64;
  JoinFilterOptions options;
  options.keys = right.size();
  if constexpr (ByValue && NumberKey<KeyOf<Right>>::exists) {
    const std::uint64_t most = std::min(filter_span_limit / bits_per_row, left_rows);
    options.key_range = key_range_below(exec, right, most * bits_per_row);
  }
  return options;
}

/// Takes an empty filter from the caller's frame; asynchronous.
template <class Key, class Exec, class Hash, class MemorySpace>
[[nodiscard]] JoinFilterRef<Key, Hash> take_filter(const Exec& exec,
                                                   const JoinFilterOptions& options,
                                                   const Hash& hash,
                                                   Workspace<MemorySpace>& workspace) {
  const auto blocks = workspace.template take<BloomBlock>(exec, filter_blocks<Key>(options));
  clear_blocks<MemorySpace>(exec, blocks.data(), blocks.extent(0));
  return filter_in<Key>(blocks.data(), blocks.extent(0), options, all_keys, hash);
}

/// When `Prefilter::automatic` filters. `hash_join` states the rule.
///
/// Measured on one core of an AMD EPYC, with 2^23 left rows of 8 bytes of which at most an eighth
/// pass, in ms:
///
///     | right rows | without a filter | with a Bloom filter | with a bitmap |
///     |------------|------------------|---------------------|---------------|
///     | 2^14       | 77               | 84                  | 44            |
///     | 2^19       | 94               | 108                 | 60            |
///     | 2^21       | 119              | 165                 | 100           |
struct PrefilterRule {
  static constexpr std::uint64_t least_rows = std::uint64_t{1} << 16;  // left rows
  static constexpr std::uint64_t least_ratio = 2;                      // left rows per right row
  /// The same for a Bloom filter on hosts, where a block costs as much as partitioning a row.
  static constexpr std::uint64_t least_bloom_ratio = 8;
  static constexpr std::uint64_t most_read = std::uint64_t{1} << 18;  // left rows read
  /// log2 of how many of these rows are expected in the sample.
  static constexpr unsigned log_sampled = 12;
  /// How many must be in the sample for it to count.
  static constexpr std::uint64_t least_sampled = 256;

  /// Whether the sizes of the sides promise enough to take a sample.
  [[nodiscard]] static bool may_pay(std::uint64_t left_rows, std::uint64_t right_rows) {
    return left_rows >= least_rows && right_rows <= left_rows / least_ratio;
  }
  /// The same, once the kind of the filter is known.
  template <class Exec>
  [[nodiscard]] static bool may_pay(std::uint64_t left_rows, std::uint64_t right_rows,
                                    JoinFilterKind kind) {
    if (backends::has_wide_teams<Exec> || kind == JoinFilterKind::bitmap) return true;
    return right_rows <= left_rows / least_bloom_ratio;
  }
  /// Whether at most a quarter of the left rows of a sample pass a filter of its right keys. Reads
  /// every right key and at most 2^18 left keys. Waits for `exec`.
  template <class Exec, class Left, class Right, class Hash, class MemorySpace>
  [[nodiscard]] static bool pays(const Exec& exec, const Left& left, const Right& right,
                                 const Hash& hash, Workspace<MemorySpace>& workspace) {
    using Ref = BloomFilterRef<KeyOf<Right>, Hash>;
    BloomFilterOptions options;
    options.bits_per_key = 8;
    const typename Workspace<MemorySpace>::Frame frame(workspace);
    const std::uint64_t n = left.size(), read = std::min(n, most_read);
    const KeySample sample{static_cast<unsigned>(std::bit_width(read)) - 1 - log_sampled};
    const auto blocks = workspace.template take<BloomBlock>(
        exec, bloom_blocks(options, (right.size() >> sample.bits) + 1));
    clear_blocks<MemorySpace>(exec, blocks.data(), blocks.extent(0));
    const Ref ref(blocks.data(), blocks.extent(0), hash);
    const auto right_keys = key_access(right);
    backends::for_each_index(
        "hashmill::hash_join::sample_keys", exec, right.size(),
        AddSample<Ref, std::decay_t<decltype(right_keys)>>{ref, right_keys, sample});
    const auto left_keys = key_access(left);
    std::uint64_t rows = 0, passing = 0;
    Kokkos::parallel_reduce(
        "hashmill::hash_join::sample_hits", backends::range(exec, read),
        CountPassing<Ref, std::decay_t<decltype(left_keys)>>{ref, left_keys, sample, n / read},
        rows, passing);
    return rows >= least_sampled && passing <= rows / 4;
  }
};

/// Returns the left rows that pass a filter of the right side's keys, or nothing where no filter is
/// asked for or it would not pay. Waits for `exec`. Takes from the caller's frame the filter, one
/// byte per left row, and the numbers of the rows that pass. `ByValue`: see `filter_options`.
template <class Row, bool ByValue, class Exec, class Left, class Right, class Hash,
          class MemorySpace>
[[nodiscard]] std::optional<PassingRows<Row>> filter_left(const Exec& exec, const Left& left,
                                                          const Right& right, const Hash& hash,
                                                          Prefilter when,
                                                          Workspace<MemorySpace>& workspace) {
  const std::uint64_t n = left.size();
  if (when == Prefilter::never) return {};
  if (when == Prefilter::automatic && !PrefilterRule::may_pay(n, right.size())) return {};
  using Key = KeyOf<Right>;
  const auto options = filter_options<ByValue>(exec, n, right);
  if (when == Prefilter::automatic) {
    if (!PrefilterRule::may_pay<Exec>(n, right.size(), filter_kind<Key>(options))) return {};
    if (!PrefilterRule::pays(exec, left, right, hash, workspace)) return {};
  }
  const auto filter = take_filter<Key>(exec, options, hash, workspace);
  add_to_filter(exec, filter, right);
  return passing_rows<Row>(exec, filter, key_access(left), workspace);
}

}  // namespace hashmill::detail
