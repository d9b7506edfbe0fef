#pragma once

#include <cstdint>
#include <hashmill/options.hpp>
#include <optional>

namespace hashmill {

/// Options of a TagBucket table. The defaults suit most inputs.
struct TagBucketOptions {
  /// Share of slots in use if no key repeats, at most 7/8. Sets the first number of buckets, which
  /// have 16 slots each.
  LoadFactor load_factor{0.5};
  /// The first number of buckets. Overrides `load_factor`. The table still grows when it must.
  std::optional<BucketCount> buckets{};
  /// How many rows the constructor inserts, from the first one on. By default all.
  std::optional<std::uint64_t> initial_rows{};
  std::uint64_t row_base = 0;  ///< the row number of the first key
  /// Whether a table doubles once 7 of 8 slots are taken. If not, rows with further keys fail.
  bool growth = true;
  /// Takes bucket and tag from the same bits of the hash as Velox, and rounds the number of buckets
  /// up to a power of two. For comparisons with Velox: with its hashes and its number of buckets,
  /// each search starts at the same bucket and with the same tag as there. See TagHashBits.
  bool velox_layout = false;
};

/// What `TagBucket::statistics` reports.
struct TagBucketStatistics {
  std::uint64_t num_rows = 0;       ///< rows in the table
  std::uint64_t num_keys = 0;       ///< distinct keys, each in a slot
  std::uint64_t num_buckets = 0;    ///< buckets of 16 slots
  std::uint64_t tombstones = 0;     ///< erased slots that only an insert or a rehash frees
  std::uint64_t full_buckets = 0;   ///< buckets without an empty slot
  std::uint64_t longest_probe = 0;  ///< the most buckets that finding a present key reads
  std::uint64_t bytes = 0;          ///< memory held by the table
  double fill = 0;                  ///< keys divided by slots
};

}  // namespace hashmill
