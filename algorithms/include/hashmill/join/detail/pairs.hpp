#pragma once

#include <hashmill/join/detail/matched_rows.hpp>
#include <hashmill/multi_map/detail/lookup.hpp>

namespace hashmill::detail {

/// Passes the matches of a query for which the caller's condition holds to `use`, by row.
template <class Row, class Match, class Use>
struct VisitPair {
  const Match& match;
  const Use& use;
  Row left;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row right) const {
    if (match(left, right)) use(right);
  }
};

/// The same for entries, which are passed by position.
template <class Row, class Match, class Use>
struct VisitEntry {
  const Match& match;
  const Use& use;
  Row left;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t position, Row right) const {
    if (match(left, right)) use(position);
  }
};

template <class Row>
struct CountPair {
  std::uint64_t* count;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row) const { ++*count; }
};

/// Counts the matches. Notes the rows or the positions of the table that were matched.
struct CountAndMark {
  std::uint64_t* count;
  const UnmatchedRows& unmatched;
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Number right) const {
    ++*count;
    unmatched.match(right);
  }
};

/// What a join notes of the matches that it counts, for right and full joins.
enum class MatchMarks { none, rows, positions };

/// Counts the pairs of each query, one thread per query.
template <class Ref, class Row, class Match, MatchMarks Marks>
struct CountPairsEach {
  Ref ref;
  Match match;
  UnmatchedRows unmatched;
  std::uint64_t* sizes;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    std::uint64_t count = 0;
    const auto left = static_cast<Row>(i);
    [[maybe_unused]] const CountAndMark mark{&count, unmatched};
    if constexpr (Marks == MatchMarks::positions) {
      ref.for_each_position(key, VisitEntry<Row, Match, CountAndMark>{match, mark, left});
    } else if constexpr (Marks == MatchMarks::rows) {
      ref.for_each_match(key, VisitPair<Row, Match, CountAndMark>{match, mark, left});
    } else {
      const CountPair<Row> use{&count};
      ref.for_each_match(key, VisitPair<Row, Match, CountPair<Row>>{match, use, left});
    }
    sizes[i] = count;
  }
  KOKKOS_FORCEINLINE_FUNCTION void answer_none(std::uint64_t i) const { sizes[i] = 0; }
};

/// Writes the right rows of the pairs of each query from its offset on, one thread per query.
template <class Ref, class Row, class Match>
struct WritePairsEach {
  Ref ref;
  Match match;
  std::uint64_t first;  // the number of query 0 among all
  const std::uint64_t* offsets;
  Row* right;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    const AppendRow<Row> use{right + offsets[i]};
    const auto left = static_cast<Row>(first + i);
    ref.for_each_match(key, VisitPair<Row, Match, AppendRow<Row>>{match, use, left});
  }
  KOKKOS_FORCEINLINE_FUNCTION void answer_none(std::uint64_t) const {}
};

/// Gives each query without a match room for one pair.
struct RoomForOne {
  std::uint64_t* sizes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (sizes[i] == 0) sizes[i] = 1;
  }
};

}  // namespace hashmill::detail
