#pragma once

#include <cstdint>
#include <hashmill/distributed_join/options.hpp>

namespace hashmill {

/// How a distributed join moves rows: what `plan_distributed_join` returns. Equal on all ranks.
struct DistributedJoinPlan {
  /// Never `automatic`. On one rank nothing travels, and it is `repartition`.
  JoinMovement movement = JoinMovement::repartition;
  std::uint64_t rounds = 1;
  /// Heavy keys whose left rows stay where they are, while their right rows go to all ranks. Keys
  /// with the same hash count as one.
  std::uint64_t heavy_left = 0;
  /// Heavy keys whose right rows stay.
  std::uint64_t heavy_right = 0;
  /// Whether a filter of the right keys is asked before left rows are sent.
  bool filters_left = false;
};

}  // namespace hashmill
