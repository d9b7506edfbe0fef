#pragma once

#include <cstddef>
#include <hashmill/compression/detail/frame.hpp>

namespace hashmill::detail {

/// What the layers of a tile work on, in a team's scratch. A thread has HostTile::Arrays.
template <class Word>
struct TileArrays {
  Word values[compression_tile];
  std::uint16_t run_lengths[compression_tile + 1];
  std::uint16_t delta_run_lengths[compression_tile + 1];
};

/// The least and the greatest of some numbers.
template <class Number>
struct Bounds {
  Number least;
  Number greatest;
};

}  // namespace hashmill::detail
