#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/hash_graph/ref.hpp>
#include <hashmill/multi_map/detail/erase_matches.hpp>

namespace hashmill::detail {

/// The buckets of a HashGraph as `erase_matches` shrinks them. `ref` must read `lengths`.
template <class Ref>
struct ShrinkingBuckets {
  Ref ref;
  typename Ref::Entry* entries;
  typename Ref::Index* lengths;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void visit_matches(const HomedKey<typename Ref::key_type>& key,
                                                 const Visit& visit) const {
    const auto last = ref.end(key.home);
    for (auto i = ref.begin(key.home); i < last; ++i) {
      if (ref.layout().matches(ref.entry(i), key.key, key.hash) && visit(i)) return;
    }
  }
  /// Closes the gaps and shortens the bucket. The entries that stay keep their order.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t close(std::uint64_t bucket, Bitmap erased) const {
    const auto begin = ref.begin(bucket);
    const auto end = ref.end(bucket);
    auto kept = begin;
    for (auto i = begin; i < end; ++i) {
      if (!erased.test(i)) entries[kept++] = entries[i];
    }
    lengths[bucket] = kept - begin;
    return end - kept;
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

}  // namespace hashmill::detail
