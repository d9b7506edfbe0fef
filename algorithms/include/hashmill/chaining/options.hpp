#pragma once

#include <cstdint>
#include <hashmill/hash_graph/options.hpp>
#include <hashmill/options.hpp>
#include <optional>

namespace hashmill {

/// Options of a Chaining table. The defaults suit most inputs.
struct ChainingOptions {
  RowsPerBucket rows_per_bucket{1.0};  ///< rows per chain; sets the number of heads
  /// Number of heads, the hash range. Overrides `rows_per_bucket`. Set it if the first batch is
  /// only a part of what will be appended.
  std::optional<BucketCount> buckets{};
  std::uint64_t row_base = 0;  ///< the row number of the first key
};

/// What `Chaining::statistics` reports. Its buckets are the chains.
using ChainingStatistics = HashGraphStatistics;

}  // namespace hashmill
