#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/hash_graph/detail/build_target.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

/// Counts a key of bucket b at offsets[b + 1].
template <class Target, class Places>
struct CountInBucket {
  Target target;
  Places places;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const auto record = target.layout.record(target.keys, places(static_cast<std::uint64_t>(i)));
    Kokkos::atomic_inc(&target.offsets[target.bucket(record) + 1]);
  }
};

/// Places an entry at the first free position of its bucket.
template <class Target, class Places>
struct PlaceInBucket {
  Target target;
  Places places;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const auto record = target.layout.record(target.keys, places(static_cast<std::uint64_t>(i)));
    const auto place = Kokkos::atomic_fetch_inc(&target.offsets[target.bucket(record) + 1]);
    target.entries[place] = target.layout.entry(record);
  }
};

/// Builds a HashGraph without binning (Green 2019, algorithm 1), asynchronously on `exec`. Key i
/// lies at `places(i)`.
///
/// One array serves as counters, as cursors and as the result:
///
///     1. count: the keys of bucket b are counted at offsets[b + 1]
///     2. exclusive scan of the counters: offsets[b + 1] is the start of bucket b
///     3. place: a fetch-add at offsets[b + 1] moves it to the end of bucket b, the start of b + 1
///
/// Bytes: per key two reads of the key, two random atomics and one random write. Per bucket one
/// write and one scan.
template <class Exec, class Layout, class KeySource, class MemorySpace, class Places = RowsFrom<>>
void build_v1(const Exec& exec, const BuildTarget<Layout, KeySource>& target,
              Workspace<MemorySpace>& workspace, const Places& places = {}) {
  using Index = typename Layout::Index;
  using Array = typename Workspace<MemorySpace>::template Array<Index>;
  const Array offsets(target.offsets, target.range.count + 1);
  const Array counters(target.offsets + 1, target.range.count);
  Kokkos::deep_copy(exec, offsets, Index{0});
  using Target = BuildTarget<Layout, KeySource>;
  backends::for_each_index("hashmill::hash_graph::v1_count", exec, target.num_keys,
                           CountInBucket<Target, Places>{target, places});
  backends::exclusive_scan(exec, counters, workspace);
  backends::for_each_index("hashmill::hash_graph::v1_place", exec, target.num_keys,
                           PlaceInBucket<Target, Places>{target, places});
}

}  // namespace hashmill::detail
