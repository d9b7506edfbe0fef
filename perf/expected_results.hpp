#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "data_set.hpp"
#include "tally.hpp"

namespace hashmill::perf {

/// The right results for a data set, as tallies that do not depend on the order of results.
struct ExpectedResults {
  Tally entries;   ///< every row: entry_weight
  Tally distinct;  ///< every distinct key: key_weight
  Tally hits;      ///< every query with a match: query_weight
  Tally counts;    ///< every match: query_weight
  Tally pairs;     ///< every match: query_weight * row_weight
};

/// Tallies the rows themselves.
template <class Keys>
struct TallyRows {
  Keys keys;
  KOKKOS_FUNCTION void operator()(std::uint64_t row, Tally& sum) const {
    sum.add(entry_weight(keys(row), row));
  }
};

/// Tallies the distinct keys that a reference knows.
template <class Key, class Reference>
struct TallyDistinctKeys {
  Reference reference;
  KOKKOS_FUNCTION void operator()(std::uint64_t place, Tally& sum) const {
    Key key;
    if (reference.distinct_key(place, key)) sum.add(key_weight(key));
  }
};

/// Tallies the queries that have a match.
template <class Reference>
struct TallyHits {
  Reference reference;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    if (reference.num_matches(query) > 0) sum.add(query_weight(query));
  }
};

/// Tallies the matches by query.
template <class Reference>
struct TallyCounts {
  Reference reference;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    const std::uint64_t num_matches = reference.num_matches(query);
    sum.count += num_matches;
    sum.weight += num_matches * query_weight(query);
  }
};

/// Tallies the matches by query and row.
template <class Reference>
struct TallyPairs {
  Reference reference;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    sum.count += reference.num_matches(query);
    sum.weight += reference.matches_weight(query) * query_weight(query);
  }
};

/// Computes the right results of `data` on `exec` without any table.
template <class Exec, class Key>
ExpectedResults expected_results(const Exec& exec, DataSet<Exec, Key>& data) {
  ExpectedResults expected;
  using Keys = typename DataSet<Exec, Key>::Keys;
  expected.entries = tally(exec, data.keys().size(), TallyRows<Keys>{data.keys()});
  const std::uint64_t num_queries = data.queries().size();
  data.with_reference(exec, [&]<class Reference>(const Reference& reference) {
    expected.distinct =
        tally(exec, reference.num_places(), TallyDistinctKeys<Key, Reference>{reference});
    expected.hits = tally(exec, num_queries, TallyHits<Reference>{reference});
    expected.counts = tally(exec, num_queries, TallyCounts<Reference>{reference});
    expected.pairs = tally(exec, num_queries, TallyPairs<Reference>{reference});
  });
  return expected;
}

}  // namespace hashmill::perf
