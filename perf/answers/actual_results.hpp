#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/row.hpp>
#include <string>

#include "keys/payload.hpp"
#include "tally.hpp"

namespace hashmill::perf {

/// Tallies the entries of a multi-map by asking it for the matches of every distinct key.
template <class Key, class Reference, class TableRef>
struct TallyEntries {
  Reference reference;
  TableRef table;
  KOKKOS_FUNCTION void operator()(std::uint64_t place, Tally& sum) const {
    Key key;
    if (!reference.distinct_key(place, key)) return;
    table.for_each_match(key, [&](std::uint64_t row) { sum.add(entry_weight(key, row)); });
  }
};

/// Tallies the entries of a table of unique keys, by asking it for every distinct key; a row that
/// does not hold the key is a fault.
template <class Key, class Keys, class Reference, class TableRef>
struct TallyUniqueEntries {
  Keys keys;
  Reference reference;
  TableRef table;
  KOKKOS_FUNCTION void operator()(std::uint64_t place, Tally& sum) const {
    Key key;
    if (!reference.distinct_key(place, key)) return;
    const std::uint64_t row = table.find(key);
    if (row >= keys.extent(0)) return;
    sum.add(key_weight(key));
    if (!(keys(row) == key)) ++sum.faults;
  }
};

/// Tallies the answers of `contains`.
template <class Answers>
struct TallyContained {
  Answers answers;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    if (answers(query)) sum.add(query_weight(query));
  }
};

/// Tallies the answers of `find`; a row that does not hold the query's key is a fault.
template <class Keys, class Rows>
struct TallyFound {
  Keys keys;
  Keys queries;
  Rows rows;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    const auto row = rows(query);
    if (row == no_row<typename Rows::non_const_value_type>) return;
    sum.add(query_weight(query));
    if (row >= keys.extent(0) || !(keys(row) == queries(query))) ++sum.faults;
  }
};

/// Tallies the answers of `count`.
template <class Counts>
struct TallyCounted {
  Counts counts;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    sum.count += counts(query);
    sum.weight += counts(query) * query_weight(query);
  }
};

/// Tallies the rows of each query that `retrieve` gives.
template <class Csr>
struct TallyRetrieved {
  Csr csr;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    for (std::uint64_t i = csr.offsets(query); i < csr.offsets(query + 1); ++i) {
      sum.add(query_weight(query) * row_weight(csr.rows(i)));
    }
  }
};

/// Tallies pairs of a row of the build side (left) and of the query side (right), by their numbers
/// or by payloads that hold those.
template <class Pairs>
struct TallyJoined {
  Pairs pairs;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    sum.add(query_weight(row_of_payload(pairs.right(i))) *
            row_weight(row_of_payload(pairs.left(i))));
  }
};

/// Empty if the tallies agree, else one line that says how they differ.
inline std::string compare_tallies(const Tally& expected, const Tally& actual) {
  if (actual == expected) return {};
  if (actual.faults != 0)
    return std::to_string(actual.faults) + " results do not hold the query's key";
  if (actual.count != expected.count) {
    return std::to_string(actual.count) + " results, expected " + std::to_string(expected.count);
  }
  return "the checksum of " + std::to_string(actual.count) + " results is wrong";
}

}  // namespace hashmill::perf
