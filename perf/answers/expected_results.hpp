#pragma once

#include <Kokkos_Bitset.hpp>
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/row.hpp>

#include "data_set.hpp"
#include "keys/null_keys.hpp"
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

/// The rows that outer joins give by themselves: weighed as pairs with the row number that stands
/// for none.
struct ExpectedUnmatched {
  Tally queries;
  Tally rows;
};

/// Tallies the queries without a match, as pairs, and marks the places of the others' keys.
template <class Reference, class Marks>
struct TallyUnmatchedQueries {
  Reference reference;
  Marks marks;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    const std::uint64_t place = reference.place_of(query);
    if (place < reference.num_places()) {
      marks.set(static_cast<unsigned>(place));
    } else {
      sum.add(query_weight(query) * row_weight(no_row<std::uint32_t>));
    }
  }
};

/// Tallies the rows of the keys that are not marked, as pairs.
template <class Key, class Reference, class Marks>
struct TallyUnmatchedRows {
  Reference reference;
  Marks marks;
  KOKKOS_FUNCTION void operator()(std::uint64_t place, Tally& sum) const {
    Key key;
    if (marks.test(static_cast<unsigned>(place)) || !reference.distinct_key(place, key)) return;
    const MatchingRows rows = reference.rows_at(place);
    sum += Tally{rows.count, rows.weight * query_weight(no_row<std::uint32_t>), 0};
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

/// A reference as the queries of `data` see it, whose nulls match nothing.
template <class Reference, class Data>
auto seen_by_queries(const Reference& reference, const Data& data) {
  return NullsMatchNothing<Reference, typename Data::Keys>{
      reference, data.queries(), data.axes().columns == KeyColumns::nulls};
}

/// Computes the answers to the queries, on `exec`, without any table.
template <class Exec, class Key>
ExpectedMatches expected_matches(const Exec& exec, DataSet<Exec, Key>& data) {
  return data.with_reference(exec, [&]<class Reference>(const Reference& reference) {
    const auto seen = seen_by_queries(reference, data);
    using Functor = TallyMatches<std::remove_const_t<decltype(seen)>>;
    return tally<ExpectedMatches>(exec, data.queries().size(), Functor{seen});
  });
}

/// Computes what of both sides has no partner, on `exec`, without any table. Both have fewer than
/// 2^32 rows.
template <class Exec, class Key>
ExpectedUnmatched expected_unmatched(const Exec& exec, DataSet<Exec, Key>& data) {
  using Marks = Kokkos::Bitset<typename Exec::device_type>;
  return data.with_reference(exec, [&]<class Reference>(const Reference& reference) {
    const Marks marks(static_cast<unsigned>(reference.num_places()));
    const auto seen = seen_by_queries(reference, data);
    using Seen = std::remove_const_t<decltype(seen)>;
    const Tally queries =
        tally(exec, data.queries().size(), TallyUnmatchedQueries<Seen, Marks>{seen, marks});
    const Tally rows = tally(exec, reference.num_places(),
                             TallyUnmatchedRows<Key, Reference, Marks>{reference, marks});
    return ExpectedUnmatched{queries, rows};
  });
}

}  // namespace hashmill::perf
