#pragma once

#include <hashmill/join/options.hpp>

namespace hashmill {

/// How `hash_join` finds equal keys.
enum class JoinStrategy {
  automatic,    ///< `array`, `look_up` or `partitioned`, see `hash_join`
  look_up,      ///< a HashGraph of the right side; the left side is looked up ("Probe-Standard")
  intersect,    ///< HashGraphs of both sides over one hash range ("Probe-New"); inner joins
  partitioned,  ///< both sides partitioned until tables fit scratch or a private cache
  unique_keys,  ///< a LinearProbing of the right side, whose keys are all different
  tag_bucket,   ///< a TagBucket of the right side, whose keys it leaves where they are
  array,        ///< an ArrayTable of the right side, a view of integers below 2^21 apart
};

/// Whether `hash_join` first drops the left rows whose keys a Bloom filter of the right side's
/// refuses: they take no further part, and come as unmatched where the kind wants them. Strategies
/// other than `look_up` and `partitioned` never do.
enum class Prefilter {
  automatic,  ///< where it pays, see `hash_join`
  never,
  always,
};

/// How `hash_join` may go about it. The strategy is part of the type, so that a program compiles no
/// other:
///
///     hash_join(exec, JoinKind::left, orders, parts);  // automatic
///     hash_join(exec, JoinKind::left, orders, parts, EveryPair{},
///               HashJoinOptions<JoinStrategy::tag_bucket>{});
template <JoinStrategy Strategy = JoinStrategy::automatic>
struct HashJoinOptions : JoinOptions {
  static constexpr JoinStrategy strategy = Strategy;
  Prefilter prefilter = Prefilter::automatic;
};

}  // namespace hashmill
