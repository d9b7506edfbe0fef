#pragma once

#include <hashmill/options.hpp>
#include <hashmill/shuffle/compression.hpp>
#include <hashmill/shuffle/levels.hpp>

namespace hashmill {

/// Which rows a rank aggregates before they travel; distributed_aggregation.hpp tells when
/// `automatic` takes which.
enum class PreAggregation {
  automatic,      ///< by a sample of each batch
  all_keys,       ///< all rows
  frequent_keys,  ///< rows of frequent keys; others travel one by one. All rows, where an
                  ///< aggregation needs all rows of a batch
  no_keys         ///< none, where `distributed_group_by` is told so on all ranks; else as
                  ///< `frequent_keys`
};

/// The options of `distributed_group_by` and `distributed_aggregation`. Results do not depend on
/// them, but for which rank has a group, and the last digits of floating-point results.
struct DistributedGroupOptions {
  PreAggregation pre_aggregation = PreAggregation::automatic;  ///< ranks may choose differently
  /// Of the hash functions, equal on all ranks; needed if untrusted parties choose keys (hash.hpp).
  Seed seed{0};
  Compression compression = Compression::automatic;  ///< of what travels; ranks may differ
  ShuffleLevels levels = ShuffleLevels::automatic;   ///< equal on all ranks
};

}  // namespace hashmill
