#pragma once

#include <hashmill/options.hpp>

namespace hashmill {

/// How a HashAggregation adds a batch; hash_aggregation.hpp describes both ways.
enum class BatchStrategy {
  automatic,  ///< `by_rows` if aggregating the batch first would not make it much shorter
  by_groups,  ///< aggregate the batch, then add its groups
  by_rows,    ///< add row by row; `by_groups` for aggregations that need all rows of a batch
};

/// The options of `hash_aggregation` and `distinct_counts`. Results do not depend on them, except
/// for the numbers of the groups and the last digits of floating-point results.
struct HashAggregationOptions {
  BatchStrategy strategy = BatchStrategy::automatic;  ///< how each batch is added
  Seed seed{0};  ///< of the hash functions; needed if untrusted parties choose keys (hash.hpp)
};

}  // namespace hashmill
