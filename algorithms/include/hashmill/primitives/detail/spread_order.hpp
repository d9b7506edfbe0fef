#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>

namespace hashmill::detail {

/// An order of rows in which every prefix is spread over all rows. Tiles of 256 rows, or of another
/// size, follow each other by steps of the golden section of a range: the next power of two that is
/// not below the number of tiles. Smaller tiles cost hosts the prefetching of rows; larger ones
/// crowd.
///
/// A growing table takes rows in this order. Otherwise, if rows came in the order of the table's
/// own hash, as another table yields them, the first rows would crowd one end of a still small
/// table. Probes would then be as long as the number of rows.
class SpreadOrder {
 public:
  /// log2 of the rows per tile, unless another value is passed.
  static constexpr unsigned prefetched_bits = 8;

  /// The identity: rows keep their order.
  SpreadOrder() = default;
  explicit SpreadOrder(std::uint64_t num_rows, unsigned tile_bits = prefetched_bits)
      : tiles_(num_rows >> tile_bits), tile_bits_(tile_bits) {
    if (tiles_ == 0) return;
    constexpr double golden_section = 0.6180339887498949;
    const std::uint64_t range = std::bit_ceil(tiles_);
    step_ = static_cast<std::uint64_t>(golden_section * static_cast<double>(range)) | 1;
    mask_ = range - 1;
  }

  /// Whether rows keep their order.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_none() const { return tiles_ == 0; }
  /// The row at place i of the order.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    std::uint64_t tile = i >> tile_bits_;
    if (tile >= tiles_) return i;
    // Steps permute the range. A step that leaves the tiles is continued until it returns to one.
    // No other tile reaches that one, since it lies on this tile's cycle of the permutation.
    do {
      tile = tile * step_ & mask_;
    } while (tile >= tiles_);
    return (tile << tile_bits_) + (i & ((std::uint64_t{1} << tile_bits_) - 1));
  }

 private:
  std::uint64_t tiles_ = 0;  // only full tiles; 0 leaves all rows in their order
  std::uint64_t step_ = 1;
  std::uint64_t mask_ = 0;
  unsigned tile_bits_ = prefetched_bits;
};

}  // namespace hashmill::detail
