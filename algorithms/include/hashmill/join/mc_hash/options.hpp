#pragma once

#include <hashmill/join/options.hpp>
#include <optional>

namespace hashmill::mc_hash {

/// How `pro` and `prh` partition. Options that are not set are chosen from the sizes of the caches.
/// Of JoinOptions they use `memory_budget` alone.
struct RadixJoinOptions : JoinOptions {
  /// The most bits by which one pass may partition.
  static constexpr unsigned most_bits_a_pass = 16;

  /// log2 of the number of parts: from `passes` to 16 per pass. By default the fewest with which a
  /// part of the build side and its table fill at most half of a private cache.
  std::optional<unsigned> radix_bits;
  /// 1 or 2 passes over both sides. By default 1 if write-combining buffers of one cache line per
  /// part fill at most a quarter of a private cache, else 2.
  std::optional<unsigned> passes;
};

}  // namespace hashmill::mc_hash
