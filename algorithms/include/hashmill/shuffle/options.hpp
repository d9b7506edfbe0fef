#pragma once

#include <hashmill/options.hpp>

namespace hashmill {

/// Options of `shuffle`, equal on all ranks.
struct ShuffleOptions {
  /// Selects among the functions that divide keys among ranks. Where strangers choose keys, it must
  /// be a secret of the program, or they can choose keys that all belong to one rank.
  Seed seed{0};
};

}  // namespace hashmill
