#pragma once

#include <cstdint>

namespace hashmill::perf {

/// Sizes that decide how many bytes an operation must move at least.
struct TrafficSizes {
  std::uint64_t num_keys = 0;     ///< rows of the build side
  std::uint64_t num_queries = 0;  ///< rows of the query side
  std::uint64_t num_hits = 0;     ///< queries that have a match
  std::uint64_t num_matches = 0;  ///< matches of all queries together
  double key_bytes = 0;
  double row_bytes = 4;
};

/// Bytes that an operation reads and writes at least.
struct ByteBudget {
  double read = 0;
  double written = 0;
  double total() const { return read + written; }
};

// Minimum traffic, the figure behind the columns "GB/s" and "of copy". It is a property of the
// question, not of a table: every input byte is read once, every entry that must be looked at is
// read once, every output byte is written once. Whatever a table moves beyond that (offsets, tags,
// empty slots, several passes, whole cache lines for one entry) is its own cost and lowers the
// share. With K = bytes of a key, R = bytes of a row number, c = matches of a query:
//
//   operation     read                          written       random accesses, where they land
//   build         K a key                       K + R a key   V1: 2 atomics a key, memory; V2:
//   scratch or cache only contains      K a query + K a hit           1 a query     1 offset pair +
//   1 bucket a query, memory find          K a query + (K + R) a hit     R a query     1 offset
//   pair + 1 bucket a query, memory count         K a query + K a match         8 a query     1
//   offset pair + 1 bucket a query, memory retrieve      K a query + (K + R) a match   8 a query
//   the same, twice (sizes first, then the rows)
//                                               + R a match
//   join, count   as building the query side, then both tables' keys once           none: both
//   tables in order join, pairs   as join, count, with the rows, and 2 R a match written none: both
//   tables in order

/// Budget of building a table of keys and rows.
constexpr ByteBudget build_budget(const TrafficSizes& s) {
  const auto n = static_cast<double>(s.num_keys);
  return {n * s.key_bytes, n * (s.key_bytes + s.row_bytes)};
}

/// Budget of telling whether each query has a match.
constexpr ByteBudget contains_budget(const TrafficSizes& s) {
  const auto q = static_cast<double>(s.num_queries);
  return {q * s.key_bytes + static_cast<double>(s.num_hits) * s.key_bytes, q};
}

/// Budget of one row a query.
constexpr ByteBudget find_budget(const TrafficSizes& s) {
  const auto q = static_cast<double>(s.num_queries);
  return {q * s.key_bytes + static_cast<double>(s.num_hits) * (s.key_bytes + s.row_bytes),
          q * s.row_bytes};
}

/// Budget of the number of matches of each query.
constexpr ByteBudget count_budget(const TrafficSizes& s) {
  const auto q = static_cast<double>(s.num_queries);
  return {q * s.key_bytes + static_cast<double>(s.num_matches) * s.key_bytes, q * 8};
}

/// Budget of all rows of each query, with offsets.
constexpr ByteBudget retrieve_budget(const TrafficSizes& s) {
  const auto q = static_cast<double>(s.num_queries);
  const auto matches = static_cast<double>(s.num_matches);
  return {q * s.key_bytes + matches * (s.key_bytes + s.row_bytes), q * 8 + matches * s.row_bytes};
}

/// Budget of building the query side and counting the pairs of two tables.
constexpr ByteBudget join_count_budget(const TrafficSizes& s) {
  const auto n = static_cast<double>(s.num_keys);
  const auto q = static_cast<double>(s.num_queries);
  return {q * s.key_bytes + (n + q) * s.key_bytes, q * (s.key_bytes + s.row_bytes)};
}

/// Budget of building the query side and writing the pairs of two tables.
constexpr ByteBudget join_pairs_budget(const TrafficSizes& s) {
  const auto n = static_cast<double>(s.num_keys);
  const auto q = static_cast<double>(s.num_queries);
  const double entry_bytes = s.key_bytes + s.row_bytes;
  return {q * s.key_bytes + (n + q) * entry_bytes,
          q * entry_bytes + static_cast<double>(s.num_matches) * 2 * s.row_bytes};
}

}  // namespace hashmill::perf
