#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Sort.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

#include "tally.hpp"

namespace hashmill::perf {

/// One pair of a host-side sort.
template <class Key>
struct SortRecord {
  Key key;
  std::uint64_t value;
  friend bool operator<(const SortRecord& a, const SortRecord& b) {
    return KeyLess{}(a.key, b.key);
  }
};

/// Sorts the pieces of an array, a piece a thread, then merges neighbours until one piece is left.
template <class Exec, class Record>
void sort_on_host(const Exec& exec, std::vector<Record>& records) {
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
  const std::uint64_t count = records.size();
  const auto num_pieces = static_cast<std::uint64_t>(exec.concurrency());
  const auto start = [&](std::uint64_t piece) {
    return records.begin() +
           static_cast<std::ptrdiff_t>(count * std::min(piece, num_pieces) / num_pieces);
  };
  Kokkos::parallel_for("hashmill::perf::sort_pieces",
                       Range(exec, 0, num_pieces, Kokkos::ChunkSize(1)),
                       [&](std::uint64_t piece) { std::sort(start(piece), start(piece + 1)); });
  for (std::uint64_t width = 1; width < num_pieces; width *= 2) {
    const std::uint64_t num_merges = (num_pieces + 2 * width - 1) / (2 * width);
    Kokkos::parallel_for(
        "hashmill::perf::merge_pieces", Range(exec, 0, num_merges, Kokkos::ChunkSize(1)),
        [&](std::uint64_t merge) {
          const std::uint64_t first = 2 * width * merge;
          std::inplace_merge(start(first), start(first + width), start(first + 2 * width));
        });
  }
}

/// Sorts `values` by `keys` on `exec` (not stable) and fences it.
///
/// Kokkos's own sort_by_key runs on one thread on host backends, so those sort records here.
template <class Exec, class Keys, class Values>
void sort_pairs(const Exec& exec, const Keys& keys, const Values& values) {
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                           typename Exec::memory_space>::accessible) {
    exec.fence("hashmill::perf::sort_pairs: the host reads the pairs");
    std::vector<SortRecord<typename Keys::non_const_value_type>> records(keys.size());
    for (std::uint64_t i = 0; i < records.size(); ++i) records[i] = {keys(i), values(i)};
    sort_on_host(exec, records);
    for (std::uint64_t i = 0; i < records.size(); ++i) {
      keys(i) = records[i].key;
      values(i) = records[i].value;
    }
  } else {
    if constexpr (sizeof(typename Keys::non_const_value_type) <= 8) {
      Kokkos::Experimental::sort_by_key(exec, keys, values);
    } else {
      Kokkos::Experimental::sort_by_key(exec, keys, values, KeyLess{});
    }
    exec.fence("hashmill::perf::sort_pairs: the caller reads the pairs");
  }
}

}  // namespace hashmill::perf
