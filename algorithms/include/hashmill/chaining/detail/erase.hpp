#pragma once

#include <hashmill/multi_map/detail/erase_matches.hpp>
#include <hashmill/multi_map/hashed_key.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

/// The chains of a Chaining as `erase_matches` shortens them.
template <class Ref>
struct ShrinkingChains {
  Ref ref;
  typename Ref::row_type* heads;
  typename Ref::Node* nodes;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void visit_matches(const HomedKey<typename Ref::key_type>& key,
                                                 const Visit& visit) const {
    ref.visit_nodes(key, visit);
  }
  /// Takes the marked nodes out of the chain. Each becomes its own successor, which distinguishes
  /// it from the nodes that stay.
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t close(std::uint64_t bucket, Bitmap erased) const {
    using Row = typename Ref::row_type;
    std::uint64_t removed = 0;
    Row* link = &heads[bucket];
    Row n = *link;
    for (Row left = ref.num_nodes(); n != no_row<Row> && left != 0; --left) {
      const Row next = nodes[n].second;
      if (erased.test(n)) {
        nodes[n].second = n;
        ++removed;
      } else {
        *link = n;
        link = &nodes[n].second;
      }
      n = next;
    }
    *link = no_row<Row>;
    return removed;
  }
};

}  // namespace hashmill::detail
