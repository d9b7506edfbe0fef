#pragma once

#include <cstdint>
#include <hashmill/options.hpp>
#include <optional>

namespace hashmill {

/// Options of a TagBucket table; the defaults suit most inputs.
struct TagBucketOptions {
  /// Rows for each of a bucket's 16 slots, at most 7/8; decides the first number of buckets.
  LoadFactor load_factor{0.5};
  /// The first number of buckets; overrides `load_factor`. The table still grows when it must.
  std::optional<BucketCount> buckets{};
  /// How many rows the constructor inserts, from the first; all of them by default.
  std::optional<std::uint64_t> initial_rows{};
  std::uint64_t row_base = 0;  ///< the row number of the first key
  /// Whether a table in which 7 of 8 slots are taken doubles; if not, rows with further keys fail.
  bool growth = true;
  /// Take bucket and tag from the bits of the hash that Velox takes them from, and make the number
  /// of buckets a power of two; see TagHashBits.
  bool velox_layout = false;
};

/// What `TagBucket::statistics` reports.
struct TagBucketStatistics {
  std::uint64_t num_rows = 0;       ///< rows in the table
  std::uint64_t num_keys = 0;       ///< different keys, each in a slot
  std::uint64_t num_buckets = 0;    ///< buckets of 16 slots
  std::uint64_t tombstones = 0;     ///< slots of erased keys that only inserting or rehashing frees
  std::uint64_t full_buckets = 0;   ///< buckets without an empty slot
  std::uint64_t longest_probe = 0;  ///< the most buckets that finding a present key reads
  std::uint64_t bytes = 0;          ///< memory held by the table
  double fill = 0;                  ///< keys divided by slots
};

}  // namespace hashmill
