#pragma once

#include <algorithm>
#include <hashmill/detail/bloom_add.hpp>
#include <hashmill/detail/mark_join.hpp>
#include <hashmill/detail/row_keys.hpp>
#include <hashmill/hash_join_options.hpp>
#include <optional>

namespace hashmill::detail {

/// The rows of the left side that a filter of the right side's keys lets through, in memory of a
/// workspace.
template <class Row>
struct PassingRows {
  const bool* passes;      // of every row
  std::uint64_t num_rows;  // of the left side
  const Row* rows;         // those that pass, in their order
  std::uint64_t count;
};

/// Counts rows of a sample that a filter lets through.
template <class Ref, class Keys>
struct CountPassing {
  Ref ref;
  Keys keys;
  std::uint64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& passing) const {
    if (ref.contains(keys(static_cast<std::uint64_t>(i) * stride))) ++passing;
  }
};

/// When `Prefilter::automatic` filters; see `hash_join`.
struct PrefilterRule {
  static constexpr std::uint64_t least_rows = std::uint64_t{1} << 16;  // of the left side
  static constexpr std::uint64_t least_ratio = 2;                      // of left to right rows
  static constexpr std::uint64_t sample = std::uint64_t{1} << 14;
  static constexpr std::uint64_t most_passing = sample / 4;

  /// Whether the sides' sizes promise enough to make a filter.
  [[nodiscard]] static bool may_pay(std::uint64_t right_rows, std::uint64_t left_rows) {
    return left_rows >= least_rows && right_rows <= left_rows / least_ratio;
  }
  /// Whether a sample of at least `least_rows` rows does; waits for `exec`.
  template <class Exec, class Ref, class Keys>
  [[nodiscard]] static bool pays(const Exec& exec, const Ref& ref, const Keys& keys) {
    std::uint64_t passing = 0;
    Kokkos::parallel_reduce("hashmill::hash_join::sample_hits", backends::range(exec, sample),
                            CountPassing<Ref, Keys>{ref, keys, keys.size() / sample}, passing);
    return passing <= most_passing;
  }
};

/// Which left rows pass a filter of the right side's keys, where filtering is asked for or pays;
/// waits for `exec`. Memory, of the caller's frame: a byte a row of either side, and the numbers of
/// the rows that pass.
template <class Row, class Exec, class Right, class Left, class Hash, class MemorySpace>
[[nodiscard]] std::optional<PassingRows<Row>> filter_left(const Exec& exec, const Right& right,
                                                          const Left& left, const Hash& hash,
                                                          Prefilter when,
                                                          Workspace<MemorySpace>& workspace) {
  using Ref = BloomFilterRef<KeyOf<Right>, Hash>;
  const std::uint64_t n = left.size();
  const bool asks = when == Prefilter::automatic;
  if (when == Prefilter::never || (asks && !PrefilterRule::may_pay(right.size(), n))) return {};
  BloomFilterOptions options;
  options.bits_per_key = 8;  // three of a hundred may pass in vain, and caches hold more keys
  const std::uint64_t num_blocks = bloom_blocks(options, right.size());
  const auto blocks = workspace.template take<BloomBlock>(exec, num_blocks);
  clear_blocks<MemorySpace>(exec, blocks.data(), num_blocks);
  const Ref ref(blocks.data(), num_blocks, hash);
  bloom_add(exec, ref, right);
  const auto queries = key_access(left);
  if (asks && !PrefilterRule::pays(exec, ref, queries)) return {};
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
