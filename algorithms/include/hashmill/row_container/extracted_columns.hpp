#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/column.hpp>
#include <hashmill/row.hpp>

namespace hashmill {

/// The output for a column with nulls: its values, and Arrow's bitmap of the rows that have one, in
/// a contiguous view. Made by `nullable`.
template <class ValuesView, class BitsView>
struct NullableOut {
  static_assert(std::is_same_v<typename BitsView::value_type, std::uint8_t>,
                "hashmill::nullable: bits are a view of std::uint8_t");
  static_assert(std::is_same_v<typename ValuesView::memory_space, typename BitsView::memory_space>,
                "hashmill::nullable: values and bits lie in different memory spaces");
  using memory_space = typename ValuesView::memory_space;
  ValuesView values;
  BitsView bits;
};
/// An output for a column with nulls. `bits` has one byte per 8 values; bits after the last value
/// become 0.
template <class ValuesView, class BitsView>
[[nodiscard]] NullableOut<ValuesView, BitsView> nullable(const ValuesView& values,
                                                         const BitsView& bits) {
  detail::require_contiguous<BitsView>();
  return {values, bits};
}

/// Strings that own their bytes, in the layout of Apache Arrow's LargeString.
///
///     offsets:    uint64 x (strings + 1); string i has bytes offsets(i) to offsets(i + 1) - 1
///     bytes:      char x (bytes of all strings)
///     valid_bits: uint8 x (strings / 8, rounded up); bit i: string i is not null
template <class MemorySpace>
struct ExtractedStrings {
  Kokkos::View<std::uint64_t*, MemorySpace> offsets;
  Kokkos::View<char*, MemorySpace> bytes;
  Kokkos::View<std::uint8_t*, MemorySpace> valid_bits;

  ExtractedStrings() = default;
  /// Allocates offsets and bits for `count` strings. Throws CapacityError when memory does not
  /// suffice.
  template <backends::ExecutionSpace Exec>
  ExtractedStrings(const Exec& exec, std::uint64_t count)
      : offsets(backends::allocate<decltype(offsets)>(exec, "hashmill::row_container::offsets",
                                                      count + 1)),
        valid_bits(backends::allocate<decltype(valid_bits)>(
            exec, "hashmill::row_container::valid_bits", (count + 7) / 8)) {}
  /// Allocates `total` bytes of strings. Throws as above.
  template <backends::ExecutionSpace Exec>
  void allocate_bytes(const Exec& exec, std::uint64_t total) {
    bytes = backends::allocate<decltype(bytes)>(exec, "hashmill::row_container::bytes", total);
  }

  /// The strings as a column, to group, join or append by. Valid as long as this.
  [[nodiscard]] auto column() const {
    const std::uint64_t rows = offsets.extent(0) == 0 ? 0 : offsets.extent(0) - 1;
    return string_column(offsets, bytes, validity(valid_bits, rows));
  }
};

}  // namespace hashmill
