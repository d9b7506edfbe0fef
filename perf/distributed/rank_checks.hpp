#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/global_row.hpp>
#include <hashmill/row.hpp>
#include <span>

#include "answers/tally.hpp"
#include "rank_keys.hpp"

namespace hashmill::perf {

/// The tally of all ranks.
inline Tally sum_over(const Communicator& ranks, const Tally& mine) {
  std::uint64_t words[] = {mine.count, mine.weight, mine.faults};
  ranks.all_reduce(words, Reduction::sum);
  return {words[0], words[1], words[2]};
}

/// Wrong values that this rank answers for: its own, and one of the first rank where the sums over
/// all ranks differ from what they should be.
inline std::uint64_t num_wrong(const Communicator& ranks, const Tally& expected,
                               const Tally& actual) {
  const Tally right = sum_over(ranks, expected), all = sum_over(ranks, actual);
  const bool differs = all.count != right.count || all.weight != right.weight;
  return actual.faults + (differs && ranks.rank() == 0 ? 1 : 0);
}

/// Tallies rows as entries of a table, from row `first` on.
template <class Source>
struct TallySource {
  Source source;
  std::uint64_t first;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    sum.add(entry_weight(source(first + i), first + i));
  }
};

/// The rows that this rank brings, as entries of a table.
template <class Keys>
Tally expected_entries(const Keys& keys) {
  return keys.with_source([&]<class Source>(const Source& source) {
    return tally(keys.exec(), keys.num_rows(),
                 TallySource<Source>{source, keys.first_row(keys.ranks().rank())});
  });
}

/// Adds an entry of `rows` rows in all; one that no row has is a fault.
template <class Source, class Key>
KOKKOS_FUNCTION void add_entry(const Source& source, std::uint64_t rows, const Key& key,
                               std::uint64_t row, Tally& sum) {
  if (row < rows && source(row) == key) {
    sum.add(entry_weight(key, row));
  } else {
    ++sum.faults;
  }
}

/// Numbers rows over all ranks: rows of tables of one rank are those numbers themselves.
struct RowsOverRanks {
  std::uint64_t ranks, rows;

  KOKKOS_FUNCTION std::uint64_t operator()(GlobalRow row) const {
    return backends::slice_begin(rank_of(row), ranks, rows) + row_of(row);
  }
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint32_t row) const { return row; }
};

template <class Keys>
RowsOverRanks rows_over_ranks(const Keys& keys) {
  return {static_cast<std::uint64_t>(keys.ranks().size()), keys.axes().num_keys};
}

/// What is known of a rank's queries without any table.
template <class Source, class Counts>
struct QueryKnowledge {
  using Key = typename Source::key_type;
  Source source;
  GeneratedQueries<Key> queries;
  Counts counts;  // rows of each identity
  RowsOverRanks places;
  std::uint64_t first;  // query of this rank

  /// The number of rows with the key of a query.
  KOKKOS_FUNCTION std::uint64_t num_rows(std::uint64_t query) const {
    const std::uint64_t identity = queries.identity_of(first + query);
    return identity < counts.extent(0) ? counts(identity) : 0;
  }
  /// Whether a row of a table holds the key of a query.
  template <class Row>
  KOKKOS_FUNCTION bool holds(Row row, std::uint64_t query) const {
    const std::uint64_t place = places(row);
    return place < places.rows && source(place) == queries(first + query);
  }
};

/// Calls `f(knowledge)`.
template <class Keys, class F>
auto with_knowledge(const Keys& keys, const F& f) {
  return keys.with_source([&]<class Source>(const Source& source) {
    return f(QueryKnowledge<Source, typename Keys::Counts>{
        source, keys.all_queries(), keys.counts(), rows_over_ranks(keys), keys.first_query()});
  });
}

/// Tallies the rows of this rank's queries.
template <class Knowledge>
struct TallyMatchingRows {
  Knowledge known;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    sum.count += known.num_rows(query);
  }
};

}  // namespace hashmill::perf
