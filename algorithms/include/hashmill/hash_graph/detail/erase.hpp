#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/hash_graph/ref.hpp>
#include <hashmill/primitives/detail/mark_and_close.hpp>

namespace hashmill::detail {

/// First step of an erase, one thread per query: marks the live entries with its key, and their
/// bucket. If several queries have one key, the first to mark the first match also marks the rest.
template <class Ref, class Queries>
struct MarkErased {
  Ref ref;
  Queries queries;
  Bitmap erased;   // one bit per entry
  Bitmap touched;  // one bit per bucket

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    const auto& query = queries(static_cast<std::uint64_t>(q));
    if (!can_be_key<typename Ref::key_type>(query)) return;
    const auto key = homed(ref, query);
    const std::uint64_t bucket = key.home;
    bool first = true;
    const auto last = ref.end(bucket);
    for (auto i = ref.begin(bucket); i < last; ++i) {
      if (!ref.layout().matches(ref.entry(i), key.key, key.hash)) continue;
      if (erased.test_and_set(i) && first) return;
      if (first) touched.test_and_set(bucket);
      first = false;
    }
  }
};

/// Second step: the first query to reach a touched bucket closes its gaps and shortens it. The
/// entries that stay keep their order.
template <class Ref, class Queries>
struct CompactTouched {
  Ref ref;
  Queries queries;
  Bitmap erased;
  Bitmap touched;
  typename Ref::Entry* entries;
  typename Ref::Index* lengths;

  KOKKOS_FUNCTION void operator()(std::int64_t q, std::uint64_t& removed) const {
    const auto& query = queries(static_cast<std::uint64_t>(q));
    if (!can_be_key<typename Ref::key_type>(query)) return;
    const std::uint64_t bucket = homed(ref, query).home;
    if (!touched.test_and_clear(bucket)) return;
    const auto begin = ref.begin(bucket);
    const auto end = ref.end(bucket);
    auto kept = begin;
    for (auto i = begin; i < end; ++i) {
      if (!erased.test(i)) entries[kept++] = entries[i];
    }
    lengths[bucket] = kept - begin;
    removed += end - kept;
  }
};

/// Writes the length of a bucket.
template <class Index>
struct LengthOfBucket {
  const Index* offsets;
  Index* lengths;
  KOKKOS_FUNCTION void operator()(const std::int64_t b) const {
    lengths[b] = offsets[b + 1] - offsets[b];
  }
};

/// Gives every bucket a length of its own, so that buckets can shrink in place.
template <class Exec, class Index>
void fill_lengths(const Exec& exec, const Index* offsets, std::uint64_t num_buckets,
                  Index* lengths) {
  backends::for_each_index("hashmill::hash_graph::lengths", exec, num_buckets,
                           LengthOfBucket<Index>{offsets, lengths});
}

/// Removes the entries whose key is among `queries`, and returns the number removed. Waits for
/// `exec`.
///
/// Makes two passes over the queries, with one bitmap of entries and one of buckets, each one bit
/// per element. Reads and writes nothing else of the table than the buckets of the queries. `ref`
/// must read `lengths`.
template <class Exec, class Ref, class Queries, class MemorySpace>
std::uint64_t erase_matches(const Exec& exec, const Ref& ref, const Queries& queries,
                            std::uint64_t positions, typename Ref::Entry* entries,
                            typename Ref::Index* lengths, Workspace<MemorySpace>& workspace) {
  return mark_and_close(
      exec, queries.size(), positions, ref.num_buckets(),
      [&](Bitmap erased, Bitmap touched) {
        return MarkErased<Ref, Queries>{ref, queries, erased, touched};
      },
      [&](Bitmap erased, Bitmap touched) {
        return CompactTouched<Ref, Queries>{ref, queries, erased, touched, entries, lengths};
      },
      workspace);
}

}  // namespace hashmill::detail
