#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>

namespace hashmill::detail {

/// An order of rows of which every beginning is spread over all of them: tiles of 256 rows, or as
/// many as asked for, by steps of the golden section of the next power of two above their number.
/// (Smaller tiles cost hosts the prefetching of rows, larger ones crowd.)
///
/// A growing table takes rows in this order. Were they in the order of its own hash, as another
/// table gives them, and it took the first of them first, those would crowd one end of a table that
/// is still small: probes as long as there are rows.
class SpreadOrder {
 public:
  /// log2 of the rows of a tile, unless others are asked for.
  static constexpr unsigned prefetched_bits = 8;

  /// Rows as they are.
  SpreadOrder() = default;
  explicit SpreadOrder(std::uint64_t num_rows, unsigned tile_bits = prefetched_bits)
      : tiles_(num_rows >> tile_bits), tile_bits_(tile_bits) {
    if (tiles_ == 0) return;
    constexpr double golden_section = 0.6180339887498949;
    const std::uint64_t range = std::bit_ceil(tiles_);
    step_ = static_cast<std::uint64_t>(golden_section * static_cast<double>(range)) | 1;
    mask_ = range - 1;
  }

  /// Whether it leaves rows as they are.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_none() const { return tiles_ == 0; }
  /// The row that comes i-th.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    std::uint64_t tile = i >> tile_bits_;
    if (tile >= tiles_) return i;
    // Steps permute the range. One that leads beyond the tiles goes on, to one that no other leads
    // to, because it is on the way from this tile back to itself.
    do {
      tile = tile * step_ & mask_;
    } while (tile >= tiles_);
    return (tile << tile_bits_) + (i & ((std::uint64_t{1} << tile_bits_) - 1));
  }

 private:
  std::uint64_t tiles_ = 0;  // those that have all their rows; 0 leaves all rows as they are
  std::uint64_t step_ = 1;
  std::uint64_t mask_ = 0;
  unsigned tile_bits_ = prefetched_bits;
};

}  // namespace hashmill::detail
