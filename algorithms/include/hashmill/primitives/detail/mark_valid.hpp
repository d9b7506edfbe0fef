#pragma once

#include <hashmill/backends/index_loop.hpp>

namespace hashmill::detail {

/// Writes one byte of the bitmap that tells which rows of a column are not null.
template <class Column>
struct MarkValid {
  Column column;
  std::uint64_t count;
  std::uint8_t* bits;
  KOKKOS_FUNCTION void operator()(std::int64_t byte) const {
    const std::uint64_t begin = static_cast<std::uint64_t>(byte) * 8;
    unsigned valid = 0;
    for (std::uint64_t i = begin; i < begin + 8 && i < count; ++i) {
      if (!column.is_null(i)) valid |= 1U << (i - begin);
    }
    bits[byte] = static_cast<std::uint8_t>(valid);
  }
};

/// Writes the bitmap of a column's first rows. Asynchronous.
template <class Exec, class Column>
void mark_valid(const char* label, const Exec& exec, const Column& column, std::uint64_t count,
                std::uint8_t* bits) {
  backends::for_each_index(label, exec, (count + 7) / 8, MarkValid<Column>{column, count, bits});
}

}  // namespace hashmill::detail
