#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/compression/detail/frame_tiles.hpp>
#include <hashmill/compression/detail/tile_cascade.hpp>

/// Values to frames, in two passes: the first finds the exact size of each tile, the second writes
/// each at its place. So frames can be sent, or allocated, as they are, and nothing is moved
/// afterwards. Moves 2 n + n / ratio bytes for n bytes of values.

namespace hashmill::detail {

/// First pass: how each tile is stored, and its bytes.
template <class Exec, bool Team, class Value, class Source>
struct MeasureTiles {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  FrameMap map;
  CompressionScheme scheme;
  Source source;
  TileHeader* headers;
  std::uint64_t* bytes;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const TilePlace place = map.locate(number);
    with_tile<Exec, Team, TileWord<Value>>(team, [&](const auto& tile) {
      const TileHeader header = measure_tile<Value>(
          tile, place.values, scheme, WordsFrom<Value, Source>{source, place.first_row});
      tile.once([&] {
        headers[number] = header;
        bytes[number] = sizeof(TileHeader) + tile_streams(header, place.values, sizeof(Value)).end;
      });
    });
  }
};

/// Writes the headers of frames, whose checksums the tiles complete.
struct StartFrames {
  FrameMap map;
  FrameHeader common;
  std::uint64_t bytes;          // of all frames
  const std::uint64_t* begins;  // bytes before each frame, and of all
  std::byte* out;

  KOKKOS_FUNCTION void operator()(std::int64_t frame) const {
    const auto f = static_cast<std::uint64_t>(frame);
    FrameHeader header = common;
    header.bytes = begins == nullptr ? bytes : begins[f + 1] - begins[f];
    if (header.bytes == 0) return;  // it is left out
    header.count = map.num_rows(f);
    header.tiles = map.num_tiles(f);
    header.checksum = mixed_header(header);
    map.bytes(f, begins, out).header() = header;
  }
};

/// Second pass: the tiles, and their entries of the directories.
template <class Exec, bool Team, class Value, class Source>
struct WriteTiles {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  FrameMap map;
  Source source;
  const TileHeader* headers;
  const std::uint64_t* places;  // bytes of the tiles before
  const std::uint64_t* begins;  // bytes before each frame
  std::byte* out;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const TilePlace place = map.locate(number);
    const auto frame = map.bytes(place.frame, begins, out);
    const std::uint64_t base = places[map.first_tile(place.frame)];
    with_tile<Exec, Team, TileWord<Value>>(team, [&](const auto& tile) {
      write_tile<Value>(tile, place.values, headers[number],
                        WordsFrom<Value, Source>{source, place.first_row},
                        frame.first_tile() + (places[number] - base));
      tile.once([&] {
        const std::uint64_t end = places[number + 1] - base;
        frame.ends()[place.tile] = end;
        Kokkos::atomic_add(&frame.header().checksum, mixed_entry(end, place.tile));
      });
    });
  }
};

/// What the first pass found.
template <class MemorySpace>
struct MeasuredFrames {
  CompressionScheme scheme;
  typename Workspace<MemorySpace>::template Array<TileHeader> headers;
  typename Workspace<MemorySpace>::template Array<std::uint64_t> places;
  std::vector<std::uint64_t> begins;  ///< bytes before each frame, and of all
};

/// Copies the places of the first tiles of frames.
struct PickFramePlaces {
  FrameMap map;
  const std::uint64_t* places;
  std::uint64_t* out;
  KOKKOS_FUNCTION void operator()(std::int64_t frame) const {
    out[frame] = places[map.first_tile(static_cast<std::uint64_t>(frame))];
  }
};

/// Bytes before each frame, and of all. Waits for `exec`.
template <class MemorySpace, class Exec>
[[nodiscard]] std::vector<std::uint64_t> frame_begins(const Exec& exec,
                                                      const FrameTable<MemorySpace>& frames,
                                                      const std::uint64_t* places,
                                                      Workspace<MemorySpace>& workspace) {
  std::vector<std::uint64_t> begins(frames.frames() + 1);
  const auto picked = workspace.template take<std::uint64_t>(exec, begins.size());
  backends::for_each_index("hashmill::compress::frames", exec, begins.size(),
                           PickFramePlaces{frames.map(), places, picked.data()});
  Kokkos::deep_copy(
      exec, Kokkos::View<std::uint64_t*, Kokkos::HostSpace>(begins.data(), begins.size()), picked);
  exec.fence("hashmill::compress: sizes of frames are needed");
  std::uint64_t before = 0;  // headers and directories
  for (std::uint64_t f = 0; f <= frames.frames(); ++f) {
    begins[f] += before;
    if (f < frames.frames()) before += frames.first_tile_byte_of(f);
  }
  return begins;
}

/// First pass over frames of `source`. Waits for `exec`. Takes 40 bytes per tile of 2048 values
/// from `workspace`.
template <bool Team, class Value, class MemorySpace, class Exec, class Source>
[[nodiscard]] MeasuredFrames<MemorySpace> measure_frames(const Exec& exec, const Source& source,
                                                         const FrameTable<MemorySpace>& frames,
                                                         CompressionScheme scheme,
                                                         Workspace<MemorySpace>& workspace) {
  const std::uint64_t tiles = frames.num_tiles();
  MeasuredFrames<MemorySpace> measured;
  measured.scheme = scheme;
  measured.headers = workspace.template take<TileHeader>(exec, tiles);
  measured.places = workspace.template take<std::uint64_t>(exec, tiles + 1);
  launch_compression_tiles<Team, TileWord<Value>>(
      "hashmill::compress::measure", exec, tiles,
      MeasureTiles<Exec, Team, Value, Source>{frames.map(), scheme, source, measured.headers.data(),
                                              measured.places.data()});
  backends::exclusive_scan(exec, measured.places, workspace);
  measured.begins = frame_begins(exec, frames, measured.places.data(), workspace);
  return measured;
}

/// Second pass: writes frame f at `out` + `begins[f]`, multiples of 8 bytes. Asynchronous on
/// `exec`; `begins` are in its memory, one more than frames, or null for one frame alone.
template <bool Team, class Value, class MemorySpace, class Exec, class Source>
void write_frames(const Exec& exec, const Source& source, const FrameTable<MemorySpace>& frames,
                  const MeasuredFrames<MemorySpace>& measured, const std::uint64_t* begins,
                  std::byte* out) {
  FrameHeader common{};
  common.magic = FrameHeader::magic_number;
  common.version = FrameHeader::current_version;
  common.value_bytes = sizeof(Value);
  common.scheme = static_cast<std::uint8_t>(measured.scheme);
  backends::for_each_index("hashmill::compress::start", exec, frames.frames(),
                           StartFrames{frames.map(), common, measured.begins.back(), begins, out});
  launch_compression_tiles<Team, TileWord<Value>>(
      "hashmill::compress::write", exec, frames.num_tiles(),
      WriteTiles<Exec, Team, Value, Source>{frames.map(), source, measured.headers.data(),
                                            measured.places.data(), begins, out});
}

}  // namespace hashmill::detail
