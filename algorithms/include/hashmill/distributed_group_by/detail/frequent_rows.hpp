#pragma once

#include <algorithm>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/distributed_group_by/options.hpp>
#include <hashmill/group_by/detail/find_groups.hpp>
#include <hashmill/primitives/detail/bitmap.hpp>
#include <hashmill/primitives/detail/select_rows.hpp>

namespace hashmill::detail {

/// A batch of so many rows is not sampled: the sample would be all rows.
inline constexpr std::uint64_t few_rows = 4096;

/// Whether a sample of a batch shows more than one key per two rows. Waits for `exec`.
template <class Exec, class By, class MemorySpace>
[[nodiscard]] bool keys_hardly_repeat(const Exec& exec, const By& by, Seed seed,
                                      Workspace<MemorySpace>& workspace) {
  return by.size() > few_rows &&
         estimate_groups(exec, by, RowHash(seed), workspace) > by.size() / 2;
}

/// Whether only the rows of frequent keys are aggregated before a batch of several ranks travels.
/// `by` is `columns(...)`. Waits for `exec`.
template <class Exec, class By, class MemorySpace>
[[nodiscard]] bool takes_frequent_keys(const Exec& exec, const By& by,
                                       const DistributedGroupOptions& options,
                                       Workspace<MemorySpace>& workspace) {
  if (options.pre_aggregation != PreAggregation::automatic) {
    return options.pre_aggregation != PreAggregation::all_keys;
  }
  return keys_hardly_repeat(exec, by, options.seed, workspace);
}

/// Marks the hashes of every `stride`-th row.
template <class Keys>
struct MarkFrequentKeys {
  Keys keys;
  RowHash hash;
  std::uint64_t stride;
  Bitmap seen;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto key = keys(static_cast<std::uint64_t>(i) * stride);
    static_cast<void>(seen.test_and_set(hash(key) >> (64 - most_sample_bits)));
  }
};
/// Marks the rows whose hashes are marked.
template <class Keys>
struct MarkFrequentRows {
  Keys keys;
  RowHash hash;
  Bitmap seen;
  bool* marks;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto row = static_cast<std::uint64_t>(i);
    marks[row] = seen.test(hash(keys(row)) >> (64 - most_sample_bits));
  }
};

/// The rows of a batch whose keys are frequent, and the others, each in their order.
template <class Row, class MemorySpace>
struct FrequentRows {
  using Rows = typename Workspace<MemorySpace>::template Array<Row>;
  Rows frequent, rare;
};

/// How many rows of a batch are sampled for frequent keys: every 64th, but at most 2^16.
[[nodiscard]] inline std::uint64_t sampled_rows(std::uint64_t rows) {
  return std::min(rows / 64 + 1, std::uint64_t{1} << 16);
}

/// Divides the rows of a batch, in memory of the caller's frame of `workspace`. Waits for `exec`.
///
/// Frequent are the keys in a sample, of `sampled_rows`. In a batch of at most 2^22 rows a key with
/// 300 rows is missed once in 100 times. They are known by 22 bits of their hashes, so that 1 in 64
/// of the other rows is taken for one of theirs. That costs time, but changes no result. Reads each
/// key once more than the sample, and writes a byte and a row number per row.
template <class Row, class Exec, class By, class MemorySpace>
[[nodiscard]] FrequentRows<Row, MemorySpace> divide_rows(const Exec& exec, const By& by, Seed seed,
                                                         Workspace<MemorySpace>& workspace) {
  const std::uint64_t count = by.size();
  if (count == 0) return {};
  const std::uint64_t sampled = sampled_rows(count);
  const RowHash hash = hash_at(RowHash(seed), HashLevel::sample);
  const auto words = workspace.template take<std::uint32_t>(
      exec, Bitmap::words_for(std::uint64_t{1} << most_sample_bits));
  const auto marks = workspace.template take<bool>(exec, count);
  Kokkos::deep_copy(exec, words, std::uint32_t{0});
  const Bitmap seen{words.data()};
  backends::for_each_index("hashmill::distributed_group_by::mark_keys", exec, sampled,
                           MarkFrequentKeys<By>{by, hash, count / sampled, seen});
  backends::for_each_index("hashmill::distributed_group_by::mark_rows", exec, count,
                           MarkFrequentRows<By>{by, hash, seen, marks.data()});
  const auto list = [&](bool frequent) {
    const IsMarked keep{marks.data(), frequent};
    const auto placed =
        place_kept<Row>("hashmill::distributed_group_by::count_rows", exec, count, keep, workspace);
    const auto rows = workspace.template take<Row>(exec, placed.total);
    if (placed.total != 0) {
      write_kept("hashmill::distributed_group_by::list_rows", exec, count, keep, placed, 0,
                 rows.data());
    }
    return rows;
  };
  return {list(true), list(false)};
}

}  // namespace hashmill::detail
