#pragma once

#include <cstdint>
#include <hashmill/options.hpp>
#include <optional>
#include <vector>

namespace hashmill {

/// How a HashGraph is built.
enum class BuildAlgorithm {
  /// Green 2019, algorithm 1: count every bucket with atomics in memory, scan, place with atomics.
  /// No temporary memory; limited by random atomics.
  v1,
  /// Green 2019, algorithm 2: partition the rows into bins of neighbouring buckets first, so that
  /// counting and placing happen in scratch or cache.
  v2,
};

/// Options of a HashGraph; the defaults suit most inputs.
struct HashGraphOptions {
  LoadFactor load_factor{1.0};  ///< rows per bucket; decides the number of buckets
  BuildAlgorithm algorithm = BuildAlgorithm::v2;
  /// Bins of version 2; by default as many as let a bin fit team scratch (GPU) or an eighth of a
  /// thread's private cache (CPU; half of it where that takes more bins than one pass deals out).
  /// A bin holds a power of two of buckets, so fewer may be made.
  std::optional<BinCount> bins{};
  /// The hash range. Tables that are to be merged or intersected need the same; overrides
  /// `load_factor`.
  std::optional<BucketCount> buckets{};
  std::uint64_t row_base = 0;  ///< the row number of the first key
};

/// Layout: entries hold the key alone. Tells which keys are there and how often, not where.
/// `Index` numbers entries: 32 bits serve up to 2^32 - 1 of them.
template <class Index = std::uint32_t>
struct KeyOnly {};

/// Layout: entries hold the key and its row number. sizeof(Key) + sizeof(Row) bytes an entry,
/// padded to 8 or 16.
template <class Row = std::uint32_t>
struct KeyRow {};

/// Layout: entries hold a fingerprint of the hash and the row number (8 bytes with 32-bit rows).
/// For keys of any size: equality is checked against the caller's keys, which must outlive the
/// table.
template <class Row = std::uint32_t>
struct FingerprintRow {};

/// Layout: row number and fingerprint share 32 bits; the fingerprint gets the bits that row numbers
/// leave free. The smallest table that tells rows (4 bytes an entry); equality as in
/// FingerprintRow.
struct PackedRow {};

/// What `HashGraph::statistics` reports.
struct HashGraphStatistics {
  std::uint64_t num_entries = 0;     ///< live entries
  std::uint64_t num_buckets = 0;     ///< the hash range
  std::uint64_t empty_buckets = 0;   ///< buckets without a live entry
  std::uint64_t longest_bucket = 0;  ///< entries of the longest bucket
  std::uint64_t bytes = 0;           ///< memory held by the table
  /// How many buckets have length 0, 1, 2, …; the last element counts that length and all above.
  std::vector<std::uint64_t> bucket_length_histogram;
};

}  // namespace hashmill
