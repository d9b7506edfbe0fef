#pragma once

namespace hashmill {

/// Whether the columns that ranks send each other are compressed: numbers, also those with nulls,
/// and the lengths of strings. What a rank keeps is not. What arrives is the same.
enum class Compression {
  automatic,  ///< a rank compresses a column where its link is slow enough for that to pay; see
              ///< `shuffle` for the rule
  never,      ///< all columns are sent as they are
  always      ///< all such columns, at any size and rate: for tests
};

}  // namespace hashmill
