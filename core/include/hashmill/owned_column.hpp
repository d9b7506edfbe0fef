#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/column.hpp>

namespace hashmill {

/// Values that may be null, with the memory that they lie in: keys and results of groups, and
/// columns that came from other ranks.
template <class Value, class MemorySpace>
struct OwnedColumn {
  /// Value x rows; 0 where a row is null.
  Kokkos::View<Value*, MemorySpace> values;
  /// uint8 x (rows / 8, rounded up): Arrow's bitmap of the rows that have a value. Empty where no
  /// row can be null.
  Kokkos::View<std::uint8_t*, MemorySpace> valid_bits;

  /// Number of rows.
  [[nodiscard]] std::uint64_t size() const { return values.extent(0); }
  /// The values as a column, to group, join, shuffle or aggregate by. It refers to these views,
  /// which must outlive it.
  [[nodiscard]] auto column() const {
    const bool all_valid = valid_bits.extent(0) == 0;
    return hashmill::column(values, all_valid ? Validity() : validity(valid_bits, size()));
  }
};

/// Strings that own their bytes, in the layout of Apache Arrow's LargeString.
///
///     offsets:    uint64 x (strings + 1); string i has bytes offsets(i) to offsets(i + 1) - 1
///     bytes:      char x (bytes of all strings)
///     valid_bits: uint8 x (strings / 8, rounded up); bit i: string i is not null. Empty where no
///                 string can be null
template <class MemorySpace>
struct OwnedStrings {
  Kokkos::View<std::uint64_t*, MemorySpace> offsets;
  Kokkos::View<char*, MemorySpace> bytes;
  Kokkos::View<std::uint8_t*, MemorySpace> valid_bits;

  /// Number of strings.
  [[nodiscard]] std::uint64_t size() const {
    return offsets.extent(0) == 0 ? 0 : offsets.extent(0) - 1;
  }
  /// The strings as a column, to group, join, shuffle or append by. It refers to these views, which
  /// must outlive it.
  [[nodiscard]] StringColumn<std::uint64_t, MemorySpace> column() const {
    const bool all_valid = valid_bits.extent(0) == 0;
    return {offsets.data(), bytes.data(), size(),
            all_valid ? Validity() : validity(valid_bits, size())};
  }
};

}  // namespace hashmill
