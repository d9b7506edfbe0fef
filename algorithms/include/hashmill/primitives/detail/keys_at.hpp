#pragma once

#include <Kokkos_Macros.hpp>
#include <cstdint>

namespace hashmill::detail {

/// The keys of `count` rows: a key source. `rows(i)` is the i-th of them, from a list or a range.
template <class Keys, class Rows, class MemorySpace>
struct KeysAt {
  using memory_space = MemorySpace;
  Keys keys;
  Rows rows;
  std::uint64_t count;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) operator()(std::uint64_t i) const {
    return keys(rows(i));
  }
};

/// The rows of a list.
template <class Row>
struct ListedRows {
  const Row* list;
  KOKKOS_FORCEINLINE_FUNCTION Row operator()(std::uint64_t i) const { return list[i]; }
};

/// The rows of a list or, without one, the first rows.
template <class Row>
struct ListedOrFirstRows {
  const Row* list;  // or nullptr
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return list == nullptr ? i : list[i];
  }
};

}  // namespace hashmill::detail
