#pragma once

#include <hashmill/compression/detail/lanes.hpp>

namespace hashmill::detail {

/// What can be wrong with a tile: the first of these that is.
enum class FrameFault : std::uint8_t {
  none,
  directory,    ///< a tile ends before it begins, or not inside the frame
  checksum,     ///< bytes have changed
  scheme,       ///< neither that of the frame nor raw
  widths,       ///< an entry is wider than what it is decoded to
  counts,       ///< more entries than values
  size,         ///< other bytes than the entries take
  run_lengths,  ///< a run without values, or runs of another number of values
};

/// Whether the entries of a tile's streams are as many as its scheme can have.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr bool are_possible_counts(
    const TileHeader& header, std::uint32_t values) {
  const std::uint32_t runs = header.runs;
  if (has_runs(header.scheme) ? runs == 0 || runs > values : runs != values) return false;
  const std::uint32_t deltas = has_delta(header.scheme) ? runs - 1 : runs;
  return has_delta_runs(header.scheme) ? header.stored <= deltas : header.stored == deltas;
}

/// What is wrong with a tile of `values` values, in `bytes` bytes at `in`, of a frame of `scheme`.
template <class Value, class Tile>
[[nodiscard]] KOKKOS_FUNCTION FrameFault check_tile(const Tile& tile, std::uint32_t values,
                                                    std::uint8_t scheme, const std::byte* in,
                                                    std::uint64_t bytes) {
  using Word = TileWord<Value>;
  if (bytes < sizeof(TileHeader)) return FrameFault::size;
  const TileHeader header = *reinterpret_cast<const TileHeader*>(in);
  if (bytes > 2 * sizeof(TileHeader) + compression_tile * sizeof(Value)) return FrameFault::size;
  if (tile.checksum(in, static_cast<std::uint32_t>(bytes)) != header.checksum) {
    return FrameFault::checksum;
  }
  if (header.scheme != scheme && !is_raw(header.scheme)) return FrameFault::scheme;
  constexpr unsigned length_bits = 16;
  if (header.width > 8 * sizeof(Word) || header.run_width > length_bits ||
      header.delta_run_width > length_bits) {
    return FrameFault::widths;
  }
  if (!are_possible_counts(header, values)) return FrameFault::counts;
  const TileStreams places = tile_streams(header, values, sizeof(Value));
  if (bytes != sizeof(TileHeader) + places.end) return FrameFault::size;
  auto& arrays = tile.arrays();
  const std::byte* const streams = in + sizeof(TileHeader);
  if (has_delta_runs(header.scheme)) {
    tile.unpack(streams + places.delta_runs, header.stored, header.delta_run_reference,
                header.delta_run_width, arrays.delta_run_lengths);
    if (!tile.are_lengths_of(arrays.delta_run_lengths, header.stored, header.runs - 1U)) {
      return FrameFault::run_lengths;
    }
  }
  if (has_runs(header.scheme)) {
    tile.unpack(streams + places.runs, header.runs, header.run_reference, header.run_width,
                arrays.run_lengths);
    if (!tile.are_lengths_of(arrays.run_lengths, header.runs, values)) {
      return FrameFault::run_lengths;
    }
  }
  return FrameFault::none;
}

}  // namespace hashmill::detail
