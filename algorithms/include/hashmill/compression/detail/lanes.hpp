#pragma once

#include <hashmill/compression/detail/frame.hpp>

/// Streams of numbers of the same width, packed for 32 lanes that all do the same.
///
///     entry i belongs to lane i % 32, at position i / 32
///     lane l: its entries one after the other, from the lowest bit of its word 0 up
///     word k of lane l is word 32 k + l of the stream
///
/// Words have 32 bits where the width is at most 32, else 64. All lanes shift by the same number of
/// bits, so that a loop over lanes suits a vector unit as well as a warp. Entries behind the last
/// one are zero.

namespace hashmill::detail {

/// Lanes of a stream.
inline constexpr std::uint32_t stream_lanes = 32;

/// Bits of a word of a stream.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t word_bits(std::uint32_t width) {
  return width <= 32 ? 32 : 64;
}
/// Positions of each lane of a stream.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t lane_positions(
    std::uint32_t count) {
  return (count + stream_lanes - 1) / stream_lanes;
}
/// Words of each lane of a stream.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t lane_words(std::uint32_t count,
                                                                             std::uint32_t width) {
  return (lane_positions(count) * width + word_bits(width) - 1) / word_bits(width);
}
/// Bytes of a stream, a multiple of 128.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t stream_bytes(
    std::uint32_t count, std::uint32_t width) {
  return lane_words(count, width) * stream_lanes * (word_bits(width) / 8);
}

/// Bits that numbers up to `greatest` take.
template <class Word>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint8_t bits_for(Word greatest) {
  return static_cast<std::uint8_t>(8 * sizeof(Word) -
                                   static_cast<unsigned>(Kokkos::countl_zero(greatest)));
}

/// The lowest `width` bits, of at least 1.
template <class Lane>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr Lane low_bits(std::uint32_t width) {
  return static_cast<Lane>(~Lane{0}) >> (8 * sizeof(Lane) - width);
}

/// Where the streams of a tile begin, in bytes behind its header.
struct TileStreams {
  std::uint32_t runs;        ///< the second
  std::uint32_t delta_runs;  ///< the third
  std::uint32_t end;
};

/// The streams of a tile of `values` values.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr TileStreams tile_streams(
    const TileHeader& tile, std::uint32_t values, std::uint32_t value_bytes) {
  if (is_raw(tile.scheme)) {
    const std::uint32_t bytes = (values * value_bytes + 15) / 16 * 16;
    return {bytes, bytes, bytes};
  }
  const std::uint32_t runs = stream_bytes(tile.stored, tile.width);
  const std::uint32_t delta_runs =
      runs + (has_runs(tile.scheme) ? stream_bytes(tile.runs, tile.run_width) : 0);
  const std::uint32_t end =
      delta_runs +
      (has_delta_runs(tile.scheme) ? stream_bytes(tile.stored, tile.delta_run_width) : 0);
  return {runs, delta_runs, end};
}

}  // namespace hashmill::detail
