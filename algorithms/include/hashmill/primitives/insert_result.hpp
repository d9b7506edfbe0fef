#pragma once

#include <cstdint>

namespace hashmill {

/// What became of the rows of a bulk insertion; their sum is the number of rows given.
struct InsertResult {
  std::uint64_t inserted = 0;  ///< rows that are in the table now and were not before
  std::uint64_t existing = 0;  ///< rows whose key was there already, in a table of unique keys
  /// Rows for which there was no room, growth being switched off, or whose number was refused.
  std::uint64_t failed = 0;

  InsertResult& operator+=(const InsertResult& other) {
    inserted += other.inserted;
    existing += other.existing;
    failed += other.failed;
    return *this;
  }
  friend bool operator==(const InsertResult&, const InsertResult&) = default;
};

/// What became of one row inserted by a kernel.
enum class InsertOutcome : std::uint8_t {
  inserted,  ///< it is there now
  existing,  ///< its key was there; what then happens, the operation says
  full,      ///< there is no room
  refused,   ///< its row is a number that the table keeps for itself, or its key or row is one of
             ///< another type that the table's types cannot hold
  skipped,   ///< a predicate left it out
};

}  // namespace hashmill
