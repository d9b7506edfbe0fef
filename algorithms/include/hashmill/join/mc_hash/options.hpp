#pragma once

#include <hashmill/join/options.hpp>
#include <optional>

namespace hashmill::mc_hash {

/// How `pro` and `prh` partition. What is left open is chosen from the sizes of the caches.
struct RadixJoinOptions : JoinOptions {
  /// The most bits that one pass may sort by.
  static constexpr unsigned most_bits_a_pass = 16;

  /// log2 of the number of parts: from `passes` to 16 a pass. By default as many that a part of the
  /// build side and its table fill half of a private cache.
  std::optional<unsigned> radix_bits;
  /// 1 or 2 passes over both sides. By default 1 while a cache line of write-combining buffer a
  /// part fills at most a quarter of a private cache.
  std::optional<unsigned> passes;
};

}  // namespace hashmill::mc_hash
