#pragma once

#include <cstdint>
#include <hashmill/options.hpp>

namespace hashmill {

/// Kind of table: a key has at most one row. Inserting it again finds what is there.
struct UniqueKeys {};
/// Kind of table: every row inserted is kept, however often its key occurs.
struct RepeatedKeys {};

/// Options of a LinearProbing table.
struct LinearProbingOptions {
  /// The largest share of slots with entries, at most 0.95: sizes the table, and beyond it the
  /// table grows. Look-ups read 1.0 windows at 0.5, 1.1 at 0.8 and 2 at 0.95 on average.
  LoadFactor load_factor{0.5};
  /// Otherwise rows beyond the load factor fail. Kernels that insert by `ref()` may still fill the
  /// last slot, after which each look-up of a key that is not there reads the whole table.
  bool grow = true;
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
