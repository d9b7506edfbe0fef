#pragma once

#include <algorithm>
#include <cstddef>
#include <hashmill/capacity.hpp>
#include <hashmill/primitives/detail/with_room.hpp>
#include <hashmill/row_layout.hpp>

namespace hashmill::detail {

/// The arrays of a RowContainer, and how they grow.
template <class Layout, class MemorySpace>
struct RowStorage {
  struct alignas(Layout::alignment) Row {
    std::byte bytes[Layout::row_bytes];
  };
  using Rows = Kokkos::View<Row*, MemorySpace>;
  using Strings = Kokkos::View<char*, MemorySpace>;

  Rows rows;
  Strings strings;  // the bytes of all strings

  /// Ensures room for `needed_rows` rows and `needed_bytes` bytes of strings. Where there is too
  /// little, allocates the needed size or twice the previous size, whichever is more, and copies
  /// the part in use. Changes nothing when it throws.
  template <class Exec>
  void make_room(const Exec& exec, std::uint64_t used_rows, std::uint64_t needed_rows,
                 std::uint64_t used_bytes, std::uint64_t needed_bytes) {
    Rows roomy_rows = rows;
    if (needed_rows > rows.size()) {
      roomy_rows = with_room(exec, "hashmill::row_container::rows", rows, used_rows,
                             std::max<std::uint64_t>(needed_rows, 2 * rows.size()));
    }
    if (needed_bytes > strings.size()) {
      strings = with_room(exec, "hashmill::row_container::strings", strings, used_bytes,
                          std::max<std::uint64_t>(needed_bytes, 2 * strings.size()));
    }
    rows = roomy_rows;
  }
};

}  // namespace hashmill::detail
