#pragma once

#include <algorithm>
#include <bit>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/bloom_filter/detail/add.hpp>
#include <hashmill/join/detail/mark_join.hpp>
#include <hashmill/join/hash_join_options.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>
#include <optional>

namespace hashmill::detail {

/// The left rows that a filter of the right side's keys lets through, in memory of a workspace.
template <class Row>
struct PassingRows {
  const bool* passes;      // for each left row
  std::uint64_t num_rows;  // of the left side
  const Row* rows;         // those that pass, in ascending order
  std::uint64_t count;
};

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

/// Takes an empty filter for `keys` keys from the caller's frame; asynchronous. It has 8 bits per
/// key: about 3 % of absent keys pass. Caches hold more keys than with larger filters.
template <class Key, class Exec, class Hash, class MemorySpace>
[[nodiscard]] BloomFilterRef<Key, Hash> take_filter(const Exec& exec, std::uint64_t keys,
                                                    const Hash& hash,
                                                    Workspace<MemorySpace>& workspace) {
  BloomFilterOptions options;
  options.bits_per_key = 8;
  const std::uint64_t num_blocks = bloom_blocks(options, keys);
  const auto blocks = workspace.template take<BloomBlock>(exec, num_blocks);
  clear_blocks<MemorySpace>(exec, blocks.data(), num_blocks);
  return {blocks.data(), num_blocks, hash};
}

/// When `Prefilter::automatic` filters. `hash_join` states the rule.
struct PrefilterRule {
  static constexpr std::uint64_t least_rows = std::uint64_t{1} << 16;  // left rows
  static constexpr std::uint64_t least_ratio = 2;                      // left rows per right row
  static constexpr std::uint64_t most_read = std::uint64_t{1} << 18;   // left rows read
  /// log2 of how many of these rows are expected in the sample.
  static constexpr unsigned log_sampled = 12;
  /// How many must be in the sample for it to count.
  static constexpr std::uint64_t least_sampled = 256;

  /// Whether the sizes of the sides promise enough to take a sample.
  [[nodiscard]] static bool may_pay(std::uint64_t left_rows, std::uint64_t right_rows) {
    return left_rows >= least_rows && right_rows <= left_rows / least_ratio;
  }
  /// Whether at most a quarter of the left rows of a sample pass a filter of its right keys. Reads
  /// every right key and at most 2^18 left keys. Waits for `exec`.
  template <class Exec, class Left, class Right, class Hash, class MemorySpace>
  [[nodiscard]] static bool pays(const Exec& exec, const Left& left, const Right& right,
                                 const Hash& hash, Workspace<MemorySpace>& workspace) {
    using Ref = BloomFilterRef<KeyOf<Right>, Hash>;
    const typename Workspace<MemorySpace>::Frame frame(workspace);
    const std::uint64_t n = left.size(), read = std::min(n, most_read);
    const KeySample sample{static_cast<unsigned>(std::bit_width(read)) - 1 - log_sampled};
    const Ref ref =
        take_filter<KeyOf<Right>>(exec, (right.size() >> sample.bits) + 1, hash, workspace);
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
/// asked for or it would not pay. Waits for `exec`. Takes from the caller's frame one byte per row
/// of either side, and the numbers of the rows that pass.
template <class Row, class Exec, class Left, class Right, class Hash, class MemorySpace>
[[nodiscard]] std::optional<PassingRows<Row>> filter_left(const Exec& exec, const Left& left,
                                                          const Right& right, const Hash& hash,
                                                          Prefilter when,
                                                          Workspace<MemorySpace>& workspace) {
  const std::uint64_t n = left.size();
  if (when == Prefilter::never) return {};
  if (when == Prefilter::automatic) {
    if (!PrefilterRule::may_pay(n, right.size())) return {};
    if (!PrefilterRule::pays(exec, left, right, hash, workspace)) return {};
  }
  const auto ref = take_filter<KeyOf<Right>>(exec, right.size(), hash, workspace);
  bloom_add(exec, ref, right);
  const auto queries = key_access(left);
  const auto passes = workspace.template take<bool>(exec, n);
  bulk_contains(exec, ref, queries, passes);
  const IsMarked keep{passes.data(), true};
  const auto placed =
      place_kept<Row>("hashmill::hash_join::count_passing", exec, n, keep, workspace);
  const auto rows = workspace.template take<Row>(exec, placed.total);
  write_kept("hashmill::hash_join::list_passing", exec, n, keep, placed, 0, rows.data());
  return PassingRows<Row>{passes.data(), n, rows.data(), placed.total};
}

}  // namespace hashmill::detail
