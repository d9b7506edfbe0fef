#pragma once

#include <hashmill/hash_graph/detail/build_v1.hpp>
#include <hashmill/hash_graph/detail/build_v2.hpp>
#include <hashmill/hash_graph/detail/compact.hpp>
#include <hashmill/hash_graph/detail/plan.hpp>
#include <hashmill/hash_graph/ref.hpp>

namespace hashmill::detail {

/// The arrays of a HashGraph, and the steps of its construction that building, compacting and
/// merging share.
template <class Layout, class MemorySpace>
struct HashGraphStorage {
  using Entry = typename Layout::Entry;
  using Index = typename Layout::Index;

  template <class T>
  using Array = Kokkos::View<T*, MemorySpace>;

  Array<Entry> entries;
  Array<Index> offsets;  // range.count + 1 elements
  Array<Index> lengths;  // range.count elements once erased from, else none
  HashRange range;
  std::uint64_t num_live = 0;

  /// Allocates the arrays, and keeps those that have the right size. Changes nothing if memory is
  /// short.
  template <class Exec>
  void allocate(const Exec& exec, std::uint64_t num_entries, const HashRange& buckets) {
    auto new_entries = entries;
    auto new_offsets = offsets;
    if (entries.size() != num_entries || entries.data() == nullptr) {
      new_entries =
          backends::allocate<Array<Entry>>(exec, "hashmill::hash_graph::entries", num_entries);
    }
    if (offsets.size() != buckets.count + 1) {
      new_offsets = backends::allocate<Array<Index>>(exec, "hashmill::hash_graph::offsets",
                                                     buckets.count + 1);
    }
    entries = new_entries;
    offsets = new_offsets;
    lengths = {};
    range = buckets;
  }

  /// As `allocate`, with memory of `workspace`. The table lives as long as the frame that is open.
  template <class Exec>
  void borrow(const Exec& exec, std::uint64_t num_entries, std::uint64_t buckets,
              Workspace<MemorySpace>& workspace) {
    entries = Array<Entry>(workspace.template take<Entry>(exec, num_entries).data(), num_entries);
    offsets = Array<Index>(workspace.template take<Index>(exec, buckets + 1).data(), buckets + 1);
    range = HashRange::whole(buckets);
  }

  /// Bytes held.
  [[nodiscard]] std::uint64_t bytes() const {
    return entries.size() * sizeof(Entry) + (offsets.size() + lengths.size()) * sizeof(Index);
  }

  template <class Ref>
  [[nodiscard]] Ref ref(const Layout& layout) const {
    return Ref(layout, entries.data(), offsets.data(), lengths.data(), range);
  }

  /// Builds from keys and fences `exec`. `layout` is that of the table, or one derived from it that
  /// reads its records in another way.
  template <class Exec, class BuildLayout, class KeySource>
  void build(const Exec& exec, const BuildLayout& layout, const KeySource& keys,
             const HashGraphOptions& options, Workspace<MemorySpace>& workspace);

  /// Fills this storage from the live entries of one or two tables and fences `exec`.
  template <class Exec, class Ref>
  void concatenate(const Exec& exec, const Ref& first, const Ref& second) {
    Workspace<MemorySpace> workspace;
    const ConcatenateBuckets<Ref> work{first, second, entries.data(), offsets.data()};
    detail::concatenate(exec, work, range.count, workspace);
    exec.fence("hashmill::HashGraph: the tables read may go");
  }
};

// Outside of the class, so that it is not inline and can be compiled once (instances.hpp).
template <class Layout, class MemorySpace>
template <class Exec, class BuildLayout, class KeySource>
void HashGraphStorage<Layout, MemorySpace>::build(const Exec& exec, const BuildLayout& layout,
                                                  const KeySource& keys,
                                                  const HashGraphOptions& options,
                                                  Workspace<MemorySpace>& workspace) {
  const std::uint64_t n = keys.size();
  const BuildTarget<BuildLayout, KeySource> target{layout, keys,           n,
                                                   range,  entries.data(), offsets.data()};
  if (n == 0) {
    Kokkos::deep_copy(exec, offsets, Index{0});
  } else if (options.algorithm == BuildAlgorithm::v1) {
    build_v1(exec, target, workspace);
  } else {
    constexpr bool team = backends::has_wide_teams<Exec>;
    const BuildPlan plan = plan_build<team, Layout>(exec, n, range.count, options.bins);
    workspace.reserve(exec, binning_bytes<Layout>(exec, n, range.count, plan.levels));
    build_v2<team>(exec, target, plan, workspace);
  }
  exec.fence("hashmill::HashGraph: the workspace may go and errors must surface here");
}

}  // namespace hashmill::detail
