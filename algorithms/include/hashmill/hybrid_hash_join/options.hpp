#pragma once

#include <cstdint>
#include <hashmill/options.hpp>
#include <hashmill/spill/memory_budget.hpp>

namespace hashmill {

/// Which rows a hybrid hash join gives. Columns of a side that a row does not have are null.
enum class HybridJoinKind {
  inner,  ///< pairs of rows that match
  left,   ///< those, and left rows without a partner
  right,  ///< those, and right rows without a partner
  full,   ///< those, and rows of both sides without a partner
  semi,   ///< left rows with a partner, once each
  anti    ///< left rows without a partner, those with a null that matches nothing among them
};

/// Options of `hybrid_hash_join`.
struct HybridHashJoinOptions {
  /// All memory that the join takes, its results included, beside the caller's batches.
  MemoryBudget budget{};
  /// Whether nulls of key columns match nulls; SQL says no.
  bool nulls_equal = false;
  /// A seed for the hash functions; see `JoinOptions::seed`.
  Seed seed{0};
  /// Into how many rounds rows are parted where they do not fit: rounded up to a power of two, at
  /// most 2^12, and fewer for budgets of less than about 50 KiB a round. A round that is still too
  /// large is parted again. Choose about four times the bytes of the right side over those of the
  /// budget, if that is more.
  std::uint64_t rounds = 64;
};

/// What a hybrid hash join did.
struct HybridHashJoinStatistics {
  std::uint64_t rounds = 1;           ///< 1 where all right rows fit, and are not parted for hosts
  std::uint64_t resident_rounds = 1;  ///< none of whose rows left the memory
  std::uint64_t split_rounds = 0;     ///< that were too large and parted again
  std::uint64_t block_joins = 0;      ///< rounds whose right rows were joined block by block
  std::uint64_t device_peak = 0;      ///< the most bytes of `budget.device` at the same time
  std::uint64_t host_bytes = 0;       ///< bytes that were moved to pinned memory
  std::uint64_t file_bytes = 0;       ///< bytes that were written to the file
};

}  // namespace hashmill
