#pragma once

#include <algorithm>
#include <hashmill/compression/detail/frame_tiles.hpp>
#include <hashmill/compression/detail/tile_cascade.hpp>
#include <hashmill/primitives/detail/on_device.hpp>

namespace hashmill::detail {

inline constexpr std::uint64_t num_schemes = compression_schemes.size();

/// Bytes of a sample of tiles under each scheme.
using SchemeBytes = std::array<std::uint64_t, num_schemes>;

/// Tiles that are sampled, at even distances.
inline constexpr std::uint64_t sampled_tiles = 64;

/// Adds up the exact bytes of sampled tiles: a team for each tile and scheme.
template <class Exec, bool Team, class Value, class Source>
struct SampleTiles {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  FrameMap map;
  std::uint64_t tiles;
  std::uint64_t samples;
  Source source;
  std::uint64_t* bytes;  // of each scheme

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t sample = number / num_schemes;
    const auto scheme = static_cast<std::uint8_t>(number % num_schemes);
    const TilePlace place = map.locate(sample * tiles / samples);
    with_tile<Exec, Team, TileWord<Value>>(team, [&](const auto& tile) {
      const TileHeader header =
          measure_tile<Value>(tile, place.values, static_cast<CompressionScheme>(scheme),
                              WordsFrom<Value, Source>{source, place.first_row});
      tile.once([&] {
        const std::uint64_t end = tile_streams(header, place.values, sizeof(Value)).end;
        Kokkos::atomic_add(&bytes[scheme], sizeof(TileHeader) + end);
      });
    });
  }
};

/// Bytes of up to 64 tiles of frames under each scheme. Waits for `exec`.
template <bool Team, class Value, class MemorySpace, class Exec, class Source>
[[nodiscard]] SchemeBytes sample_schemes(const Exec& exec, const Source& source,
                                         const FrameTable<MemorySpace>& frames) {
  SchemeBytes bytes{};
  const std::uint64_t tiles = frames.num_tiles();
  const std::uint64_t samples = std::min(tiles, sampled_tiles);
  const auto sums =
      on_device<MemorySpace>(exec, std::vector<std::uint64_t>(bytes.begin(), bytes.end()));
  launch_compression_tiles<Team, TileWord<Value>>(
      "hashmill::compress::sample", exec, samples * bytes.size(),
      SampleTiles<Exec, Team, Value, Source>{frames.map(), tiles, samples, source, sums.data()});
  Kokkos::deep_copy(
      exec, Kokkos::View<std::uint64_t*, Kokkos::HostSpace>(bytes.data(), bytes.size()), sums);
  exec.fence("hashmill::compress: a scheme is chosen");
  return bytes;
}

/// The simplest scheme whose sample is within 1 % of the smallest: fewer layers decode faster.
[[nodiscard]] inline CompressionScheme smallest_scheme(const SchemeBytes& bytes) {
  const std::uint64_t least = *std::min_element(bytes.begin(), bytes.end());
  const auto good = std::find_if(bytes.begin(), bytes.end(),
                                 [&](std::uint64_t b) { return b <= least + least / 100; });
  return compression_schemes[static_cast<std::size_t>(good - bytes.begin())];
}

}  // namespace hashmill::detail
