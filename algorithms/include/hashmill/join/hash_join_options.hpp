#pragma once

#include <hashmill/join/options.hpp>

namespace hashmill {

/// How `hash_join` finds equal keys. `HashJoinOptions` carries the choice.
enum class JoinStrategy {
  automatic,    ///< `array`, `look_up` or `partitioned`; see `hash_join` for the rules
  look_up,      ///< looks up the left side in a HashGraph of the right side ("Probe-Standard")
  intersect,    ///< HashGraphs of both sides over one hash range ("Probe-New"); inner joins only
  partitioned,  ///< partitions both sides until tables fit scratch (GPU) or a private cache (CPU)
  unique_keys,  ///< looks up in a LinearProbing of the right side, whose keys must all differ
  tag_bucket,   ///< looks up in a TagBucket of the right side, whose keys stay where they are
  array,        ///< looks up in an ArrayTable of the right side: integers below 2^21 apart
};

/// Whether `hash_join` first drops the left rows that a filter of the right side's keys refuses.
/// Dropped rows take no further part. They come as unmatched rows if the kind of the join keeps
/// those. Only `look_up` and `partitioned` use the filter, also when `automatic` chooses them.
enum class Prefilter {
  automatic,  ///< if it pays; see `hash_join` for the rule
  never,      ///< looks up or partitions all left rows
  always,     ///< filters at any size and hit rate
};

/// Options of `hash_join`. The strategy is part of the type, so that a program compiles no other:
///
///     hash_join(exec, JoinKind::left, orders, parts);  // automatic
///     hash_join(exec, JoinKind::left, orders, parts, EveryPair{},
///               HashJoinOptions<JoinStrategy::tag_bucket>{});
template <JoinStrategy Strategy = JoinStrategy::automatic>
struct HashJoinOptions : JoinOptions {
  static constexpr JoinStrategy strategy = Strategy;  ///< how equal keys are found
  Prefilter prefilter = Prefilter::automatic;         ///< whether a filter comes first
};

}  // namespace hashmill
