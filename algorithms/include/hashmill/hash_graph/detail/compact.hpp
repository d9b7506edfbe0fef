#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/hash_graph/ref.hpp>

namespace hashmill::detail {

/// Writes the entries of one or two tables with the same hash range back to back, bucket by bucket.
/// Used by the rebuild after erasures and by the merge of two tables.
template <class Ref>
struct ConcatenateBuckets {
  Ref first;
  Ref second;  // without buckets if there is only one table
  typename Ref::Entry* entries;
  typename Ref::Index* offsets;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION typename Ref::Index length(std::uint64_t b) const {
    typename Ref::Index length = first.end(b) - first.begin(b);
    if (second.num_buckets() != 0) length += second.end(b) - second.begin(b);
    return length;
  }
  KOKKOS_FORCEINLINE_FUNCTION void copy(const Ref& from, std::uint64_t b,
                                        typename Ref::Index& to) const {
    const auto end = from.end(b);
    for (auto i = from.begin(b); i < end; ++i) entries[to++] = from.entry(i);
  }
};

/// Writes the length of each bucket in both tables together, then a 0 behind the last.
template <class Ref>
struct ConcatenatedLengths {
  ConcatenateBuckets<Ref> work;
  std::uint64_t num_buckets;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const auto b = static_cast<std::uint64_t>(i);
    work.offsets[b] = b < num_buckets ? work.length(b) : typename Ref::Index{0};
  }
};

/// Copies the entries of a bucket to its offset.
template <class Ref>
struct ConcatenateLists {
  ConcatenateBuckets<Ref> work;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const auto b = static_cast<std::uint64_t>(i);
    typename Ref::Index to = work.offsets[b];
    work.copy(work.first, b, to);
    if (work.second.num_buckets() != 0) work.copy(work.second, b, to);
  }
};

/// Fills `offsets` (num_buckets + 1 elements) and `entries` of a new table from the live entries of
/// one or two others. Asynchronous. Reads and writes every entry and offset once.
template <class Exec, class Ref, class MemorySpace>
void concatenate(const Exec& exec, const ConcatenateBuckets<Ref>& work, std::uint64_t num_buckets,
                 Workspace<MemorySpace>& workspace) {
  using Index = typename Ref::Index;
  const typename Workspace<MemorySpace>::template Array<Index> offsets(work.offsets,
                                                                       num_buckets + 1);
  backends::for_each_index("hashmill::hash_graph::concatenate_lengths", exec, num_buckets + 1,
                           ConcatenatedLengths<Ref>{work, num_buckets});
  backends::exclusive_scan(exec, offsets, workspace);
  backends::for_each_index("hashmill::hash_graph::concatenate_copy", exec, num_buckets,
                           ConcatenateLists<Ref>{work});
}

}  // namespace hashmill::detail
