#pragma once

#include <hashmill/column.hpp>

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

}  // namespace hashmill
