#pragma once

#include <hashmill/join/detail/matched_rows.hpp>
#include <hashmill/multi_map/detail/lookup.hpp>

namespace hashmill::detail {

/// What a visit of a query's matches does with those that pass the caller's condition.
template <class Row, class Match, class Use>
struct VisitPair {
  const Match& match;
  const Use& use;
  Row left;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row right) const {
    if (match(left, right)) use(right);
  }
};

/// The same with entries, which are used by their positions.
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

/// Counts, and tells which rows of the table were matched, or the entries at which positions.
struct CountAndMark {
  std::uint64_t* count;
  const UnmatchedRows& unmatched;
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Number right) const {
    ++*count;
    unmatched.match(right);
  }
};

/// What a join notes of the matches that it counts.
enum class MatchMarks { none, rows, positions };

/// Counts the pairs of each query, one thread a query.
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

/// Writes the pairs of each query where its offset says, one thread a query.
template <class Ref, class Row, class Match>
struct WritePairsEach {
  Ref ref;
  Match match;
  std::uint64_t first;  // number of query 0
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

/// Gives queries without a match the room of one.
struct RoomForOne {
  std::uint64_t* sizes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (sizes[i] == 0) sizes[i] = 1;
  }
};

}  // namespace hashmill::detail
