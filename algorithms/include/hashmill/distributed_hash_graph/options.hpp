#pragma once

#include <cstdint>
#include <hashmill/distributed_hash_graph/splits.hpp>
#include <hashmill/hash_graph/options.hpp>
#include <optional>
#include <vector>

namespace hashmill {

/// Options of a DistributedHashGraph, equal on all ranks but for `local.buckets`.
template <class MemorySpace>
struct DistributedHashGraphOptions {
  /// Of each rank's own table. Its `row_base` must be 0.
  HashGraphOptions local{};
  /// The splits of another table, in place of those that balance this one. Two tables are
  /// intersected only if they have the same ones: see `DistributedHashGraph::options_like`.
  std::optional<Splits<MemorySpace>> splits{};
};

/// What `DistributedHashGraph::statistics` reports. Vectors have one element per rank.
struct DistributedStatistics {
  std::vector<std::uint64_t> rows;     ///< entries that the rank holds
  std::vector<std::uint64_t> buckets;  ///< of the rank's table
  std::vector<std::uint64_t> bytes;    ///< memory of the rank's table
  /// The bin that had most rows when the table was built, and their number. A bin is never divided.
  /// Both are 0 where there is one rank.
  std::uint64_t heaviest_bin = 0, heaviest_bin_rows = 0;
  /// The largest number of rows of a rank, by the mean; 1 is balanced.
  double imbalance = 1;
};

}  // namespace hashmill
