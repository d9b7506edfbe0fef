#pragma once

#include <hashmill/primitives/detail/records.hpp>

namespace hashmill::detail {

/// Where the rows of a side lie that are in parts already, in memory that kernels read. The pieces
/// hold all rows of the side, each once.
template <class Offset>
struct RowsInParts {
  std::uint64_t parts = 0;
  const Offset* offsets = nullptr;  ///< of each part, and the end, among rows in their order
  Pieces<Offset> pieces{};          ///< of each part, among the rows of the side

  [[nodiscard]] Ranges<Offset> ranges() const {
    return {offsets, parts, nullptr, Ranges<Offset>::one_group, pieces};
  }
};

/// The parts of both sides of a join, as many of each: equal keys are in parts with the same
/// number. There are none of either side where sides are not in parts.
struct SidesInParts {
  RowsInParts<std::uint32_t> left{}, right{};

  [[nodiscard]] bool exist() const { return right.parts != 0; }
  [[nodiscard]] SidesInParts swapped(bool swaps) const {
    return swaps ? SidesInParts{right, left} : *this;
  }
};

}  // namespace hashmill::detail
