#pragma once

#include <hashmill/hash_graph/detail/statistics.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

/// Chains in the form in which `bucket_statistics` measures buckets: from 0 to their length.
/// Finding the length takes a walk.
template <class Ref>
struct ChainLengths {
  Ref ref;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t num_buckets() const {
    return ref.num_buckets();
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t begin(std::uint64_t) const { return 0; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t end(std::uint64_t bucket) const {
    using Row = typename Ref::row_type;
    std::uint64_t length = 0;
    for (Row n = ref.head(bucket); n != no_row<Row> && length < ref.num_nodes();
         n = ref.node(n).second) {
      ++length;
    }
    return length;
  }
};

}  // namespace hashmill::detail
