#pragma once

#include <hashmill/options.hpp>

namespace hashmill {

/// How a HashAggregation adds a batch; its header tells what they do.
enum class BatchStrategy {
  automatic,  ///< `by_rows` where aggregating the batch first would not make it much shorter
  by_groups,  ///< aggregates the batch, then adds its groups
  by_rows,    ///< adds row by row, where the aggregations allow it
};

struct HashAggregationOptions {
  BatchStrategy strategy = BatchStrategy::automatic;
  Seed seed{0};  ///< of the hash functions, where strangers choose keys; see hash.hpp
};

}  // namespace hashmill
