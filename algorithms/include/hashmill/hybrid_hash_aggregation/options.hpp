#pragma once

#include <cstdint>
#include <hashmill/group_by/hash_aggregation_options.hpp>
#include <hashmill/options.hpp>
#include <hashmill/spill/memory_budget.hpp>

namespace hashmill {

/// Options of `hybrid_hash_aggregation`.
struct HybridAggregationOptions {
  /// All memory that the group-by takes, its results included, beside the caller's batches.
  MemoryBudget budget{};
  BatchStrategy strategy = BatchStrategy::automatic;  ///< how each batch is added
  Seed seed{0};  ///< of the hash functions; see `HashAggregationOptions::seed`
  /// Into how many rounds groups are parted where they do not fit: rounded up to a power of two, at
  /// least 2 and at most 2^12, and fewer for small budgets. A round that is still too large is
  /// parted again.
  std::uint64_t rounds = 64;
};

/// What a hybrid hash aggregation did.
struct HybridAggregationStatistics {
  std::uint64_t rounds = 1;           ///< 1 where all groups fit
  std::uint64_t resident_rounds = 1;  ///< whose groups never left memory
  std::uint64_t flushes = 0;          ///< times that memory was full
  std::uint64_t combinations = 0;     ///< times that stored groups were combined; hosts only
  std::uint64_t whole_rounds = 0;     ///< that were stored, and grouped at once; hosts only
  std::uint64_t split_rounds = 0;     ///< that were too large and parted again
  std::uint64_t stored_groups = 0;    ///< partial groups that were stored
  std::uint64_t device_peak = 0;      ///< the most bytes of `budget.device` at the same time
  std::uint64_t host_bytes = 0;       ///< bytes that were moved to pinned memory
  std::uint64_t file_bytes = 0;       ///< bytes that were written to the file
};

}  // namespace hashmill
