#pragma once

#include <hashmill/hash_graph/detail/table_layout.hpp>

namespace hashmill::detail {

/// A KeyRow layout that takes its records from NumberedEntries.
template <class Layout>
struct NumberedLayout : Layout {
  explicit NumberedLayout(const Layout& layout) : Layout(layout) {}

  template <class Entries>
  KOKKOS_FORCEINLINE_FUNCTION typename Layout::Record record(const Entries& entries,
                                                             std::uint64_t i) const {
    const auto entry = entries(i);
    return {first_of(entry), second_of(entry)};
  }
};

}  // namespace hashmill::detail
