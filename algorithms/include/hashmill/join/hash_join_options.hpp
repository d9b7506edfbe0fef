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
  npo,          ///< as mc_hash::npo, to compare with: inner joins on CPUs, of integers as keys
  pro,          ///< the same, as mc_hash::pro
  prh,          ///< the same, as mc_hash::prh
};

/// Whether `hash_join` first drops the left rows whose keys a Bloom filter of the right side's
/// refuses: they take no further part, and come as unmatched where the kind wants them. Strategies
/// other than `look_up` and `partitioned` never do.
enum class Prefilter {
  automatic,  ///< where it pays, see `hash_join`
  never,
  always,
};

struct HashJoinOptions : JoinOptions {
  JoinStrategy strategy = JoinStrategy::automatic;
  Prefilter prefilter = Prefilter::automatic;
};

}  // namespace hashmill
