#pragma once

#include <cstdint>
#include <hashmill/options.hpp>
#include <optional>
#include <vector>

namespace hashmill {

/// How a HashGraph is built.
enum class BuildAlgorithm {
  /// Green 2019, algorithm 1. Counts every bucket with atomics in memory, scans, then places
  /// entries with atomics. Takes no temporary memory but that of a scan. Random atomics limit its
  /// speed.
  v1,
  /// Green 2019, algorithm 2. First partitions the rows into bins of neighbouring buckets, so that
  /// counting and placing happen in scratch or cache.
  v2,
};

/// Options of a HashGraph. The defaults suit most inputs.
struct HashGraphOptions {
  RowsPerBucket rows_per_bucket{1.0};  ///< sets the number of buckets
  BuildAlgorithm algorithm = BuildAlgorithm::v2;
  /// Number of bins of version 2. By default a bin is as large as the fast memory allows:
  ///
  ///     GPU   team scratch
  ///     CPU   1/8 of a thread's private cache; 1/2 if 1/8 takes more bins than one pass can write
  ///
  /// A bin holds a power of two of buckets, so fewer bins may be made (see `planned_bins`).
  std::optional<BinCount> bins{};
  /// Number of buckets, the hash range. Overrides `rows_per_bucket`. Tables that are to be merged
  /// or intersected need the same number.
  std::optional<BucketCount> buckets{};
  std::uint64_t row_base = 0;  ///< the row number of the first key
};

/// Layout: an entry holds the key alone. The table tells which keys are present and how often, not
/// in which rows. `Index` numbers entries: 32 bits serve up to 2^32 - 1 of them.
template <class Index = std::uint32_t>
struct KeyOnly {};

/// Layout: an entry holds the key and its row number: sizeof(Key) + sizeof(Row) bytes per entry,
/// padded to 8 or 16 bytes.
template <class Row = std::uint32_t>
struct KeyRow {};

/// Layout: an entry holds a 24-bit fingerprint of the hash, in 32 bits, and the row number: 8 bytes
/// per entry with 32-bit rows. For keys of any size. Equality is checked against the caller's keys,
/// which must outlive the table.
template <class Row = std::uint32_t>
struct FingerprintRow {};

/// Layout: the row number and a fingerprint share 32 bits: 4 bytes per entry. The fingerprint gets
/// the bits that row numbers leave free, 24 at most. This is the smallest table that tells rows.
/// Equality is checked as in FingerprintRow.
struct PackedRow {};

/// What `HashGraph::statistics` reports.
struct HashGraphStatistics {
  std::uint64_t num_entries = 0;     ///< live entries
  std::uint64_t num_buckets = 0;     ///< the hash range
  std::uint64_t empty_buckets = 0;   ///< buckets without a live entry
  std::uint64_t longest_bucket = 0;  ///< entries of the longest bucket
  std::uint64_t bytes = 0;           ///< memory held by the table
  /// Element l is the number of buckets of length l. The last element counts all longer ones too.
  std::vector<std::uint64_t> bucket_length_histogram;
};

}  // namespace hashmill
