#pragma once

#include <hashmill/detail/sized_output.hpp>
#include <hashmill/hash_graph_ref.hpp>

namespace hashmill::detail {

/// Compares each entry of table `a` with the bucket of the same number of table `b`.
///
/// Entries stand in bucket order in both tables, so neighbouring threads read neighbouring entries
/// of `a` and the same or neighbouring buckets of `b`: both tables are read from front to back, and
/// however many entries a bucket has, no thread has more than one of them to compare.
template <class RefA, class RefB>
struct IntersectEntries {
  using RowA = typename RefA::Index;
  using RowB = typename RefB::Index;
  RefA a;
  RefB b;
  RowA* left = nullptr;
  RowB* right = nullptr;

  /// Number of pairs that entry `i` of `a` is in.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size(std::uint64_t i) const {
    const auto entry = a.entry(i);
    const auto& key = a.layout().key(entry);
    return is_live(i, key) ? b.count(key) : 0;
  }

  /// Writes those pairs from `place` up and returns the place behind them.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t fill(std::uint64_t i, std::uint64_t place) const {
    const auto entry = a.entry(i);
    const auto& key = a.layout().key(entry);
    if (is_live(i, key)) {
      b.for_each_match(key, AppendPair{left, right, a.layout().row(entry), &place});
    }
    return place;
  }

 private:
  /// Writes pairs one after the other; a functor, because nvcc takes no lambda in here.
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

  /// Whether the entry is still there: erasing leaves dead entries behind the live ones of a
  /// bucket.
  KOKKOS_FORCEINLINE_FUNCTION bool is_live(std::uint64_t i,
                                           const typename RefA::key_type& key) const {
    return !a.has_lengths() || i < a.end(a.bucket(key));
  }
};

}  // namespace hashmill::detail
