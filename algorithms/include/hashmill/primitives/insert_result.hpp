#pragma once

#include <cstdint>

namespace hashmill {

/// The outcomes of a bulk insertion. Their sum is the number of rows given.
struct InsertResult {
  std::uint64_t inserted = 0;  ///< rows that are in the table now and were not before
  std::uint64_t existing = 0;  ///< rows whose key was already there, in a table of unique keys
  /// Rows without room, growth being switched off, or with a row number that was refused.
  std::uint64_t failed = 0;

  /// Adds the outcomes of another insertion.
  InsertResult& operator+=(const InsertResult& other) {
    inserted += other.inserted;
    existing += other.existing;
    failed += other.failed;
    return *this;
  }
  friend bool operator==(const InsertResult&, const InsertResult&) = default;
};

/// The outcome of the insertion of one row by a kernel.
enum class InsertOutcome : std::uint8_t {
  inserted,  ///< the row is in the table now
  existing,  ///< its key was already there; the operation says what happens then
  full,      ///< there is no room
  refused,   ///< its row is a number that the table keeps for itself, or its key or row is one of
             ///< another type that the table's types cannot hold
  skipped,   ///< a predicate left it out
};

}  // namespace hashmill
