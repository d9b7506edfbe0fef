#pragma once

#include <hashmill/compression/detail/frame_tiles.hpp>
#include <hashmill/compression/detail/tile_cascade.hpp>

/// Frames to values. Moves n + n / ratio bytes for n bytes of values.

namespace hashmill::detail {

/// Some rows of frames.
struct RowSlice {
  std::uint64_t first;
  std::uint64_t end;

  /// Those of them that a tile has.
  [[nodiscard]] KOKKOS_FUNCTION TileSlice of_tile(const TilePlace& tile) const {
    const auto values_before = [&](std::uint64_t row) {
      const std::uint64_t before = row > tile.first_row ? row - tile.first_row : 0;
      return before < tile.values ? static_cast<std::uint32_t>(before) : tile.values;
    };
    return {values_before(first), values_before(end)};
  }
};

/// Decodes the tiles from `first_tile` up, and hands out the rows of a slice: `sink(row, value)`,
/// rows counted from the first of the slice.
template <class Exec, bool Team, class Value, class Sink>
struct ReadTiles {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  FrameMap map;
  const std::uint64_t* begins;  // bytes before each frame
  const std::byte* in;
  std::uint64_t first_tile;
  RowSlice rows;
  Sink sink;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const TilePlace place = map.locate(first_tile + static_cast<std::uint64_t>(team.league_rank()));
    const auto frame = map.bytes(place.frame, begins, in);
    const std::byte* const bytes = frame.first_tile() + frame.tile_begin(place.tile);
    with_tile<Exec, Team, TileWord<Value>>(team, [&](const auto& tile) {
      const auto put = [out = sink, before = place.first_row - rows.first](std::uint32_t i,
                                                                           TileWord<Value> word) {
        out(before + i, from_word<Value>(word));  // modulo 2^64: the first tile begins before
      };
      read_tile<Value>(tile, place.values, bytes, rows.of_tile(place), put);
    });
  }
};

/// Decodes rows of frames that were checked. `tiles`: those that have the rows; `begins`: bytes
/// before each frame, or null for one frame alone. Asynchronous on `exec`.
template <bool Team, class Value, class MemorySpace, class Exec, class Sink>
void read_frames(const Exec& exec, const FrameTable<MemorySpace>& frames,
                 const std::uint64_t* begins, const std::byte* in, const RowSlice& rows,
                 const RowSlice& tiles, const Sink& sink) {
  launch_compression_tiles<Team, TileWord<Value>>(
      "hashmill::decompress", exec, tiles.end - tiles.first,
      ReadTiles<Exec, Team, Value, Sink>{frames.map(), begins, in, tiles.first, rows, sink});
}

}  // namespace hashmill::detail
