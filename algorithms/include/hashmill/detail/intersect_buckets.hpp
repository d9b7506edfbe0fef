#pragma once

#include <hashmill/detail/bucket_tiles.hpp>
#include <hashmill/hash_graph_ref.hpp>

namespace hashmill::detail {

/// Compares the entries of one bucket of two tables with the same hash range.
template <class RefA, class RefB>
struct IntersectBuckets {
  using RowA = typename RefA::Index;
  using RowB = typename RefB::Index;
  RefA a;
  RefB b;
  RowA* left = nullptr;
  RowB* right = nullptr;

  /// Number of matching pairs.
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t size(std::uint64_t bucket) const {
    const auto b_begin = b.begin(bucket);
    const auto b_end = b.end(bucket);
    if (b_begin == b_end) return 0;
    std::uint64_t pairs = 0;
    const auto a_end = a.end(bucket);
    for (auto i = a.begin(bucket); i < a_end; ++i) {
      const auto& key = a.layout().key(a.entry(i));
      const std::uint64_t hash = needs_hash ? a.layout().hasher()(key) : 0;
      for (auto j = b_begin; j < b_end; ++j) {
        pairs += b.layout().matches(b.entry(j), key, hash) ? 1 : 0;
      }
    }
    return pairs;
  }

  /// Writes the pairs from `place` up.
  KOKKOS_FUNCTION void fill(std::uint64_t bucket, std::uint64_t place) const {
    const auto b_begin = b.begin(bucket);
    const auto b_end = b.end(bucket);
    const auto a_end = a.end(bucket);
    for (auto i = a.begin(bucket); i < a_end; ++i) {
      const auto& key = a.layout().key(a.entry(i));
      const std::uint64_t hash = needs_hash ? a.layout().hasher()(key) : 0;
      for (auto j = b_begin; j < b_end; ++j) {
        if (!b.layout().matches(b.entry(j), key, hash)) continue;
        left[place] = a.layout().row(a.entry(i));
        right[place] = b.layout().row(b.entry(j));
        ++place;
      }
    }
  }

 private:
  static constexpr bool needs_hash = !RefB::layout_type::stores_keys;
};

}  // namespace hashmill::detail
