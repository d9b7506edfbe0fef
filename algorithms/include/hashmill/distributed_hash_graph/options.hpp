#pragma once

#include <bit>
#include <cstdint>
#include <hashmill/distributed_hash_graph/splits.hpp>
#include <hashmill/hash_graph/options.hpp>
#include <hashmill/murmur.hpp>
#include <optional>
#include <vector>

namespace hashmill {

/// Options of a DistributedHashGraph, equal on all ranks but for `local.bins`.
struct DistributedHashGraphOptions {
  /// Of the table. Its buckets are those of all ranks together, its bins those of a rank. Its
  /// `row_base` must be 0.
  HashGraphOptions local{};
  /// The splits of another table, in place of those that balance this one. Two tables are
  /// intersected only if they have the same ones: see `DistributedHashGraph::options_like`.
  std::optional<Splits> splits{};
  /// In how many rounds keys are sent, 1 to 65536. While one is under way, the one before is built.
  /// Each is twice as long as the one before, up to 32 times the first. By default the first one
  /// has about 128 MiB of keys and rows of each rank.
  std::optional<std::uint64_t> rounds{};
  /// In how many slices a GPU partitions its keys, 1 to 64: while one is sent, the next one is
  /// partitioned, and each is sorted into bins when it comes. In place of rounds, and only where
  /// ranks share counts of bins (see DistributedHashGraph). By default one for each 512 MiB of keys
  /// and rows of a rank, up to 4, and none where `rounds` is given. Hosts take one.
  std::optional<std::uint64_t> slices{};
};

namespace detail {

/// A number by which ranks compare their options.
[[nodiscard]] inline std::uint64_t options_signature(const DistributedHashGraphOptions& options) {
  std::uint64_t signature = 1;
  const auto add = [&](std::uint64_t number) { signature = murmur3_fmix64(signature + number); };
  add(static_cast<std::uint64_t>(options.local.algorithm));
  add(std::bit_cast<std::uint64_t>(options.local.rows_per_bucket.value()));
  add(options.local.buckets ? options.local.buckets->value() : 0);
  add(options.local.bins ? options.local.bins->value() : 0);
  add(options.rounds.value_or(0));
  add(options.slices.value_or(0));
  add(options.splits ? options.splits->buckets() : 0);
  if (options.splits) {
    for (const std::uint64_t bin : options.splits->first_bins()) add(bin);
  }
  return signature;
}

}  // namespace detail

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
