#pragma once

#include <hashmill/join/detail/item_table.hpp>
#include <hashmill/join/detail/matched_rows.hpp>

namespace hashmill::detail {

/// Counts a match, and notes its right row.
struct CountAndNote {
  std::uint64_t* count;
  const UnmatchedRows& unmatched;
  std::uint64_t first;  // position of the item's first right row
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint32_t index) const {
    ++*count;
    unmatched.match(first + index);
  }
};

/// Counts the pairs of each item. Where asked, it also notes which rows of either side are in a
/// pair.
///
/// Rows are noted by their positions among the partitioned records. The notes of an item are
/// therefore neighbours. Only items of the same part can share them.
template <class Exec, class Parts, class Match>
struct NoteItemPairs {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Table = JoinItemTable<Exec, Parts, Match, true>;
  Parts parts;
  Match match;
  UnmatchedRows left, right;
  std::uint64_t* sizes;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const JoinItem item = parts.items(number);
    const Table table(team, parts, match, item);
    std::uint64_t sum = 0;
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    for (std::uint32_t j = team.team_rank(); j < item.left_count; j += size) {
      const std::uint64_t matches = count(table, j, item.right_begin);
      if (matches != 0 && left.asked()) left.match(item.left_begin + j);
      sum += matches;
    }
    team.team_reduce(Kokkos::Sum<std::uint64_t>(sum));
    if (team.team_rank() == 0) sizes[number] = sum;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t count(const Table& table, std::uint32_t j,
                                                                std::uint64_t right_begin) const {
    if (!right.asked()) return table.count(table.left(j));
    std::uint64_t matches = 0;
    table.for_each_match(table.left(j), CountAndNote{&matches, right, right_begin});
    return matches;
  }
};

}  // namespace hashmill::detail
