#pragma once

#include <hashmill/hash_graph/detail/table_layout.hpp>

namespace hashmill::detail {

/// What a build reads and fills.
template <class Layout, class KeySource>
struct BuildTarget {
  Layout layout;
  KeySource keys;
  std::uint64_t num_keys;
  HashRange range;
  typename Layout::Entry* entries;  // num_keys elements
  typename Layout::Index* offsets;  // range.count + 1 elements

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t bucket(const typename Layout::Record& record) const {
    return range.place_of(layout.record_hash()(record));
  }
};

}  // namespace hashmill::detail
