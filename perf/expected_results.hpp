#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "data_set.hpp"
#include "tally.hpp"

namespace hashmill::perf {

/// The right contents of a table of the keys.
struct ExpectedRows {
  Tally entries;   ///< every row: entry_weight
  Tally distinct;  ///< every distinct key: key_weight
};

/// The right answers to the queries.
struct ExpectedMatches {
  Tally hits;    ///< every query with a match: query_weight
  Tally counts;  ///< every match: query_weight
  Tally pairs;   ///< every match: query_weight * row_weight

  KOKKOS_FUNCTION ExpectedMatches& operator+=(const ExpectedMatches& other) {
    hits += other.hits;
    counts += other.counts;
    pairs += other.pairs;
    return *this;
  }
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

/// Tallies the matches of each query.
template <class Reference>
struct TallyMatches {
  Reference reference;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, ExpectedMatches& sum) const {
    const MatchingRows rows = reference.matches(query);
    if (rows.count == 0) return;
    const std::uint64_t weight = query_weight(query);
    sum.hits.add(weight);
    sum.counts += Tally{rows.count, rows.count * weight, 0};
    sum.pairs += Tally{rows.count, rows.weight * weight, 0};
  }
};

/// Computes what a table of the keys must hold, on `exec`, without any table.
template <class Exec, class Key>
ExpectedRows expected_rows(const Exec& exec, DataSet<Exec, Key>& data) {
  using Keys = typename DataSet<Exec, Key>::Keys;
  ExpectedRows expected;
  expected.entries = tally(exec, data.keys().size(), TallyRows<Keys>{data.keys()});
  data.with_reference(exec, [&]<class Reference>(const Reference& reference) {
    using Functor = TallyDistinctKeys<Key, Reference>;
    expected.distinct = tally(exec, reference.num_places(), Functor{reference});
  });
  return expected;
}

/// Computes the answers to the queries, on `exec`, without any table.
template <class Exec, class Key>
ExpectedMatches expected_matches(const Exec& exec, DataSet<Exec, Key>& data) {
  return data.with_reference(exec, [&]<class Reference>(const Reference& reference) {
    using Functor = TallyMatches<Reference>;
    return tally<ExpectedMatches>(exec, data.queries().size(), Functor{reference});
  });
}

}  // namespace hashmill::perf
