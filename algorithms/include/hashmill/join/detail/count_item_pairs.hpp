#pragma once

#include <hashmill/join/detail/item_table.hpp>

namespace hashmill::detail {

/// Counts the pairs of each item.
template <class Exec, class Parts, class Match>
struct CountItemPairs {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Table = JoinItemTable<Exec, Parts, Match>;
  Parts parts;
  Match match;
  std::uint64_t* sizes;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const JoinItem item = parts.items(number);
    const Table table(team, parts, match, item);
    std::uint64_t sum = 0;
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    for (std::uint32_t j = team.team_rank(); j < item.left_count; j += size) {
      sum += table.count(table.left(j));
    }
    team.team_reduce(Kokkos::Sum<std::uint64_t>(sum));
    if (team.team_rank() == 0) sizes[number] = sum;
  }
};

}  // namespace hashmill::detail
