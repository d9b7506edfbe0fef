#pragma once

#include <hashmill/detail/join/item_table.hpp>
#include <hashmill/detail/join/matched_rows.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

/// Notes that a row of a side has a match, where somebody asks.
struct NoteMatched {
  UnmatchedRows unmatched;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool nobody_asks() const {
    return unmatched.bits.words == nullptr;
  }
  template <class Value>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Value& value) const {
    if constexpr (RowNumber<Value>) {
      if (!nobody_asks()) unmatched.match(value);
    }
  }
};

template <class Value>
struct CountAndNote {
  std::uint64_t* count;
  const NoteMatched& note;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Value& value) const {
    ++*count;
    note(value);
  }
};

/// Counts the pairs of each item, and notes which rows are in one.
template <class Exec, class Parts, class Match>
struct CountItemPairs {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using RightValue = typename decltype(Parts::right_side)::Value;
  Parts parts;
  Match match;
  NoteMatched note_left, note_right;
  std::uint64_t* sizes;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const JoinItem item = parts.items(number);
    const Table table(team, parts, match, item);
    std::uint64_t sum = note_left.nobody_asks() && note_right.nobody_asks()
                            ? count(team, table, item)
                            : count_and_note(team, table, item);
    team.team_reduce(Kokkos::Sum<std::uint64_t>(sum));
    if (team.team_rank() == 0) sizes[number] = sum;
  }

 private:
  using Table = JoinItemTable<Exec, Parts, Match>;
  static constexpr std::uint32_t size = backends::team_threads<Exec>;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const Member& team,
                                                                const Table& table,
                                                                const JoinItem& item) const {
    std::uint64_t sum = 0;
    for (std::uint32_t j = team.team_rank(); j < item.left_count; j += size) {
      sum += table.count(table.left(j));
    }
    return sum;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count_and_note(
      const Member& team, const Table& table, const JoinItem& item) const {
    std::uint64_t sum = 0;
    for (std::uint32_t j = team.team_rank(); j < item.left_count; j += size) {
      const auto left = table.left(j);
      const std::uint64_t before = sum;
      table.for_each_match(left, CountAndNote<RightValue>{&sum, note_right});
      if (sum != before) note_left(second_of(left));
    }
    return sum;
  }
};

}  // namespace hashmill::detail
