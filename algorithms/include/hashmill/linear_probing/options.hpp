#pragma once

#include <cstdint>
#include <hashmill/options.hpp>

namespace hashmill {

/// Kind of table: a key has at most one row. Inserting the key again finds its entry.
struct UniqueKeys {};
/// Kind of table: every inserted row is kept, however often its key occurs.
struct RepeatedKeys {};

/// Options of a LinearProbing table.
struct LinearProbingOptions {
  /// The largest share of slots that hold entries, at most 0.95. It sets the first size, and an
  /// insert beyond it makes the table grow. Average look-ups read:
  ///
  ///     load factor         0.5   0.8   0.95
  ///     windows per look-up 1.0   1.1   2
  LoadFactor load_factor{0.5};
  /// Whether the table grows. If not, rows beyond the load factor fail. Kernels that insert through
  /// `ref()` may still fill the last slot. After that, each look-up of an absent key reads the
  /// whole table.
  bool growth = true;
  std::uint64_t row_base = 0;  ///< the row number of the first key that a constructor inserts
};

/// What `LinearProbing::statistics` reports.
struct LinearProbingStatistics {
  std::uint64_t num_entries = 0;    ///< live entries
  std::uint64_t num_slots = 0;      ///< slots in all
  std::uint64_t tombstones = 0;     ///< slots of erased entries, in use until the next rehash
  std::uint64_t longest_probe = 0;  ///< windows between an entry's home window and its own
  double mean_probe = 0;            ///< the same, on average over the live entries
  std::uint64_t bytes = 0;          ///< memory held by the table
};

}  // namespace hashmill
