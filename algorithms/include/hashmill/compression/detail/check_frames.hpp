#pragma once

#include <algorithm>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/compression/detail/check_tile.hpp>
#include <hashmill/compression/detail/frame_tiles.hpp>
#include <hashmill/error.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <string>

/// Frames that came from elsewhere are checked before any value is decoded: headers on the host,
/// directories and then tiles on the device. What passes is decoded without looking again.

namespace hashmill::detail {

[[noreturn]] inline void throw_bad_frame(std::uint64_t frame, const std::string& why) {
  throw InvalidArgument("compressed frame " + std::to_string(frame) + ": " + why);
}

/// Throws InvalidArgument unless a header is one of a frame of `bytes` bytes of values of
/// `value_bytes`. Its checksum is compared later, with the directory.
inline void check_header(const FrameHeader& header, std::uint64_t frame, std::uint64_t bytes,
                         std::uint32_t value_bytes) {
  const auto differs = [&](const char* what, std::uint64_t is, std::uint64_t expected) {
    if (is == expected) return;
    throw_bad_frame(frame, std::string(what) + " is " + std::to_string(is) + ", not " +
                               std::to_string(expected));
  };
  differs("magic number", header.magic, FrameHeader::magic_number);
  differs("version", header.version, FrameHeader::current_version);
  differs("bytes of a value", header.value_bytes, value_bytes);
  differs("reserved byte", header.reserved, 0);
  differs("number of bytes", header.bytes, bytes);
  if (header.scheme >= compression_schemes.size()) {
    throw_bad_frame(frame, "unknown scheme " + std::to_string(header.scheme));
  }
  if (header.tiles > bytes / (sizeof(std::uint64_t) + sizeof(TileHeader))) {
    throw_bad_frame(frame,
                    std::to_string(header.tiles) + " tiles in " + std::to_string(bytes) + " bytes");
  }
  differs("number of tiles", header.tiles, tiles_for(header.count));
  if (header.tiles == 0) {
    differs("number of bytes", bytes, sizeof(FrameHeader));
    differs("checksum", header.checksum, mixed_header(header));
  }
}

/// The lowest tile with a fault, and that fault, as one number; ~0 if none has.
using LowestFault = std::uint64_t;

KOKKOS_FORCEINLINE_FUNCTION void report_fault(LowestFault* lowest, std::uint64_t tile,
                                              FrameFault fault) {
  if (fault != FrameFault::none) {
    Kokkos::atomic_min(lowest, (tile << 8) | static_cast<std::uint64_t>(fault));
  }
}

/// Looks at the entries of directories, and adds them up.
struct CheckDirectories {
  FrameMap map;
  const std::uint64_t* begins;
  const std::byte* in;
  std::uint64_t* sums;  // of each frame
  LowestFault* lowest;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    const TilePlace place = map.locate(static_cast<std::uint64_t>(number));
    const auto frame = map.bytes(place.frame, begins, in);
    const std::uint64_t room =
        begins[place.frame + 1] - begins[place.frame] - first_tile_byte(frame.tiles);
    const std::uint64_t begin = frame.tile_begin(place.tile), end = frame.ends()[place.tile];
    const bool is_last = place.tile + 1 == frame.tiles;
    const bool fits = begin <= end && end <= room && end % 16 == 0 && (!is_last || end == room);
    if (!fits) report_fault(lowest, static_cast<std::uint64_t>(number), FrameFault::directory);
    Kokkos::atomic_add(&sums[place.frame], mixed_entry(end, place.tile));
  }
};

/// Looks at tiles whose places were found right.
template <class Exec, bool Team, class Value>
struct CheckTiles {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  FrameMap map;
  const std::uint64_t* begins;
  const std::byte* in;
  LowestFault* lowest;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const TilePlace place = map.locate(number);
    const auto frame = map.bytes(place.frame, begins, in);
    const std::uint64_t begin = frame.tile_begin(place.tile);
    with_tile<Exec, Team, TileWord<Value>>(team, [&](const auto& tile) {
      const FrameFault fault =
          check_tile<Value>(tile, place.values, frame.header().scheme, frame.first_tile() + begin,
                            frame.ends()[place.tile] - begin);
      tile.once([&] { report_fault(lowest, number, fault); });
    });
  }
};

/// Throws InvalidArgument naming frame, tile and fault if there is one.
template <class MemorySpace>
void throw_if_bad(const FrameTable<MemorySpace>& frames, LowestFault lowest) {
  if (lowest == ~LowestFault{0}) return;
  constexpr std::array names{"",       "directory", "checksum", "scheme",
                             "widths", "counts",    "size",     "run lengths"};
  std::uint64_t frame = 0;
  std::uint64_t tile = lowest >> 8;
  for (; tile >= frames.tiles(frame); ++frame) tile -= frames.tiles(frame);
  throw_bad_frame(frame, "tile " + std::to_string(tile) + " of " +
                             std::to_string(frames.tiles(frame)) + " has wrong " +
                             names[lowest & 0xFF]);
}

/// Checks the directories and tiles of frames whose headers passed. `headers`: of each frame;
/// `begins`: bytes before each, in memory of `exec`. Waits for `exec`. Reads all bytes once.
template <bool Team, class Value, class MemorySpace, class Exec>
void check_frames(const Exec& exec, const FrameTable<MemorySpace>& frames,
                  const std::vector<FrameHeader>& headers, const std::uint64_t* begins,
                  const std::byte* in) {
  std::vector<std::uint64_t> expected(headers.size() + 1, ~LowestFault{0});
  std::transform(headers.begin(), headers.end(), expected.begin(), mixed_header);
  const auto found = on_device<MemorySpace>(exec, expected);
  LowestFault* const lowest = found.data() + frames.frames();
  backends::for_each_index("hashmill::compression::check_directories", exec, frames.num_tiles(),
                           CheckDirectories{frames.map(), begins, in, found.data(), lowest});
  const auto look = [&] {
    Kokkos::deep_copy(
        exec, Kokkos::View<std::uint64_t*, Kokkos::HostSpace>(expected.data(), expected.size()),
        found);
    exec.fence("hashmill::compression: faults are reported here");
    throw_if_bad(frames, expected.back());
  };
  look();
  for (std::uint64_t f = 0; f < frames.frames(); ++f) {
    if (expected[f] != headers[f].checksum) throw_bad_frame(f, "directory has a wrong checksum");
  }
  launch_compression_tiles<Team, TileWord<Value>>(
      "hashmill::compression::check_tiles", exec, frames.num_tiles(),
      CheckTiles<Exec, Team, Value>{frames.map(), begins, in, lowest});
  look();
}

}  // namespace hashmill::detail
