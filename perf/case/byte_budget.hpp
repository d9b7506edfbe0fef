#pragma once

#include <algorithm>
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

// Minimum traffic, from which the columns "GB/s" and "of copy" are computed. It is a property of
// the question, not of a table: every input is read once, every entry that some query must look at
// is read once, every output is written once. What a table moves beyond that is its own cost and
// lowers the share: offsets, tags, empty slots, several passes, a whole cache line for one entry.
//
// In this table:
//
//     n, q   keys, queries                h   min(hits, n) entries looked at
//     i, e   keys inserted, erased        m   min(matches, n) entries looked at
//     K, R   bytes per key, row number    M   matches in total
//
// Entries of erased keys are looked at and marked.
//
//    operation     read                       written           a HashGraph's random accesses
//    build         n K                        n (K + R)         V1: 2 n atomics in memory
//                                                               V2: in scratch or cache only
//    insert        as build                                     (not run)
//    churn         (i + 2 e) K                i (K + R) + e R   (not run)
//    partition     n (K + R)                  n (K + R)         (not run)
//    contains      q K + h K                  q                 q offset pairs, q buckets in memory
//    find          q K + h (K + R)            q R               the same
//    count         q K + m K                  8 q               the same
//    retrieve      q K + m (K + R)            8 q + M R         the same twice: sizes, then rows
//    join, count   q K + (n + q) K            q K               as V2 for the queries' table
//    join, pairs   q K + (n + q) (K + R)      q (K + R) + 2 M R as V2 for the queries' table
//    both sides    (n + q) K                  2 M R             none when partitioned
//     with P bytes (n + q) (K + P)            2 M P             of payload per row
//     counted      (n + q) K                  nothing
//    group by      n (K + 4)                  g (K + 16)        (not run; g groups, sum and count)

/// Entries of the build side that are looked at when `matches` times one is, each counted once.
constexpr double entries_seen(const TrafficSizes& s, std::uint64_t matches) {
  return static_cast<double>(std::min(matches, s.num_keys));
}

/// Budget of building a table of keys and rows.
constexpr ByteBudget build_budget(const TrafficSizes& s) {
  const auto n = static_cast<double>(s.num_keys);
  return {n * s.key_bytes, n * (s.key_bytes + s.row_bytes)};
}

/// Budget of bringing keys and rows into the order of their parts.
constexpr ByteBudget partition_budget(const TrafficSizes& s) {
  const double bytes = static_cast<double>(s.num_keys) * (s.key_bytes + s.row_bytes);
  return {bytes, bytes};
}

/// Budget of inserting and erasing keys.
constexpr ByteBudget churn_budget(const TrafficSizes& s, std::uint64_t num_inserted,
                                  std::uint64_t num_erased) {
  const auto i = static_cast<double>(num_inserted);
  const auto e = static_cast<double>(num_erased);
  return {(i + 2 * e) * s.key_bytes, i * (s.key_bytes + s.row_bytes) + e * s.row_bytes};
}

/// Budget of telling whether each query has a match.
constexpr ByteBudget contains_budget(const TrafficSizes& s) {
  const auto q = static_cast<double>(s.num_queries);
  return {(q + entries_seen(s, s.num_hits)) * s.key_bytes, q};
}

/// Budget of one row a query.
constexpr ByteBudget find_budget(const TrafficSizes& s) {
  const auto q = static_cast<double>(s.num_queries);
  return {q * s.key_bytes + entries_seen(s, s.num_hits) * (s.key_bytes + s.row_bytes),
          q * s.row_bytes};
}

/// Budget of the number of matches of each query.
constexpr ByteBudget count_budget(const TrafficSizes& s) {
  const auto q = static_cast<double>(s.num_queries);
  return {(q + entries_seen(s, s.num_matches)) * s.key_bytes, q * 8};
}

/// Budget of all rows of each query, with offsets.
constexpr ByteBudget retrieve_budget(const TrafficSizes& s) {
  const auto q = static_cast<double>(s.num_queries);
  return {q * s.key_bytes + entries_seen(s, s.num_matches) * (s.key_bytes + s.row_bytes),
          q * 8 + static_cast<double>(s.num_matches) * s.row_bytes};
}

/// Budget of building the query side and counting the pairs of two tables.
constexpr ByteBudget join_count_budget(const TrafficSizes& s) {
  const auto n = static_cast<double>(s.num_keys);
  const auto q = static_cast<double>(s.num_queries);
  return {q * s.key_bytes + (n + q) * s.key_bytes, q * s.key_bytes};
}

/// Budget of building the query side and writing the pairs of two tables.
constexpr ByteBudget join_pairs_budget(const TrafficSizes& s) {
  const auto n = static_cast<double>(s.num_keys);
  const auto q = static_cast<double>(s.num_queries);
  const double entry_bytes = s.key_bytes + s.row_bytes;
  return {q * s.key_bytes + (n + q) * entry_bytes,
          q * entry_bytes + static_cast<double>(s.num_matches) * 2 * s.row_bytes};
}

/// Budget of joining two sides that are in no table; pairs of row numbers or, with `payload_bytes`,
/// of payloads of a row each.
constexpr ByteBudget hash_join_budget(const TrafficSizes& s, double payload_bytes = 0) {
  const double result_bytes = payload_bytes > 0 ? payload_bytes : s.row_bytes;
  return {static_cast<double>(s.num_keys + s.num_queries) * (s.key_bytes + payload_bytes),
          static_cast<double>(s.num_matches) * 2 * result_bytes};
}

/// Budget of counting the pairs of two sides that are in no table.
constexpr ByteBudget counted_join_budget(const TrafficSizes& s) {
  return {static_cast<double>(s.num_keys + s.num_queries) * s.key_bytes, 0};
}

/// Budget of aggregates of a value of 4 bytes by key, the sum and the count or others.
constexpr ByteBudget group_budget(const TrafficSizes& s, std::uint64_t num_groups,
                                  double value_bytes = 4, double result_bytes = 16) {
  return {static_cast<double>(s.num_keys) * (s.key_bytes + value_bytes),
          static_cast<double>(num_groups) * (s.key_bytes + result_bytes)};
}

}  // namespace hashmill::perf
