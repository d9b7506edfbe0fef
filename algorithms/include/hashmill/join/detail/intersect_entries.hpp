#pragma once

#include <hashmill/hash_graph/detail/storage.hpp>
#include <hashmill/hash_graph/ref.hpp>
#include <hashmill/primitives/detail/sized_output.hpp>

namespace hashmill::detail {

/// Compares each entry of table `a` with the bucket of the same number in table `b`.
///
/// Entries are in bucket order in both tables. So neighbouring threads read neighbouring entries of
/// `a` and the same or neighbouring buckets of `b`: both tables are read from front to back. A
/// thread takes one entry of `a` at a time, however many entries a bucket has.
///
/// Both tables have one hash range. So the bucket of every key of `a` is in `b`.
template <class RefA, class RefB>
struct IntersectEntries {
  using RowA = typename RefA::Index;
  using RowB = typename RefB::Index;
  RefA a;
  RefB b;
  RowA* left = nullptr;
  RowB* right = nullptr;

  /// Returns the number of pairs that entry `i` of `a` is in.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size(std::uint64_t i) const {
    const auto entry = a.entry(i);
    const auto& key = a.layout().key(entry);
    return is_live(i, key) ? b.count(b.homed_inside(key)) : 0;
  }

  /// Writes these pairs from `place` on. Returns the place after the last.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t fill(std::uint64_t i, std::uint64_t place) const {
    const auto entry = a.entry(i);
    const auto& key = a.layout().key(entry);
    if (is_live(i, key)) {
      b.for_each_match(b.homed_inside(key), AppendPair{left, right, a.layout().row(entry), &place});
    }
    return place;
  }
  /// As `fill`, by a group of lanes, which compare neighbouring entries of `b`.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void fill_together(const Lanes& lanes, std::uint64_t i,
                                                 std::uint64_t place) const {
    const auto entry = a.entry(i);
    const auto& key = a.layout().key(entry);
    if (!is_live(i, key)) return;
    const auto homed = b.homed_inside(key);
    const std::uint64_t end = b.end(homed.home);
    for (std::uint64_t first = b.begin(homed.home); first < end; first += Lanes::lanes) {
      const auto j = static_cast<RowB>(first + lanes.lane());
      const bool mine =
          first + lanes.lane() < end && b.layout().matches(b.entry(j), homed.key, homed.hash);
      std::uint32_t total = 0;
      const std::uint64_t mine_at = place + lanes.sum_before(mine ? 1 : 0, total);
      place += total;
      if (!mine) continue;
      left[mine_at] = a.layout().row(entry);
      right[mine_at] = b.layout().row(b.entry(j));
    }
  }

 private:
  /// Writes one pair after another. A functor, because nvcc takes no lambda here.
  struct AppendPair {
    RowA* left;
    RowB* right;
    RowA row;
    std::uint64_t* place;
    KOKKOS_FORCEINLINE_FUNCTION void operator()(RowB match) const {
      left[*place] = row;
      right[(*place)++] = match;
    }
  };

  /// Whether the entry is live. Erasing leaves dead entries after the live ones of a bucket.
  KOKKOS_FORCEINLINE_FUNCTION bool is_live(std::uint64_t i,
                                           const typename RefA::key_type& key) const {
    return !a.has_lengths() || i < a.end(a.homed_inside(key).home);
  }
};

/// Whether a table stores its keys in its entries.
template <class Table>
inline constexpr bool stores_keys_of = Table::ref_type::layout_type::stores_keys;

/// The layout of a table of other keys, with the same hash function and equality as `Table`.
template <class Table, class Tag, class KeySource>
using LayoutLike =
    TableLayout<Tag, typename Table::key_type, std::decay_t<decltype(std::declval<Table>().hash())>,
                std::decay_t<decltype(std::declval<Table>().ref().layout().equal())>, KeySource>;

/// Builds a table of keys in memory of `workspace`, and returns its reference. It is valid as long
/// as the frame is open.
template <class Key, class Exec, class Layout, class BuildLayout, class KeySource,
          class MemorySpace>
[[nodiscard]] HashGraphRef<Layout, Key> borrow_table(const Exec& exec, const Layout& layout,
                                                     const BuildLayout& reader,
                                                     const KeySource& keys, std::uint64_t buckets,
                                                     Workspace<MemorySpace>& workspace) {
  HashGraphStorage<Layout, MemorySpace> storage;
  storage.borrow(exec, keys.size(), buckets, workspace);
  storage.build(exec, reader, keys, {}, workspace);
  return storage.template ref<HashGraphRef<Layout, Key>>(layout);
}

/// Counts the matches of runs of equal queries. `runs` is a table whose entries are a key and the
/// length of its run.
///
/// Its entries are in bucket order, whatever its hash range. So the other table is read from front
/// to back. That table has entries, and all buckets of its hash range.
template <class Runs, class Ref>
struct CountRunMatches {
  Runs runs;
  Ref ref;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size(std::uint64_t i) const {
    const auto run = runs.entry(static_cast<typename Runs::Index>(i));
    return ref.count(ref.homed_inside(run.first)) * run.second;
  }
};

}  // namespace hashmill::detail
