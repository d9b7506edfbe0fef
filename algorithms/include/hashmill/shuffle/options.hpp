#pragma once

#include <hashmill/options.hpp>
#include <hashmill/shuffle/compression.hpp>
#include <hashmill/shuffle/levels.hpp>

namespace hashmill {

/// Options of `shuffle`.
struct ShuffleOptions {
  /// Equal on all ranks. Selects among the functions that divide keys among ranks. Where strangers
  /// choose keys, it must be a secret of the program, or they can choose keys that all belong to
  /// one rank.
  Seed seed{0};
  /// Whether columns are compressed on their way; ranks may choose differently.
  Compression compression = Compression::automatic;
  /// Whether rows go straight to their ranks; equal on all ranks.
  ShuffleLevels levels = ShuffleLevels::automatic;
};

}  // namespace hashmill
