#pragma once

#include <hashmill/backends/team_scan.hpp>
#include <hashmill/join/detail/keep_item_pairs.hpp>

namespace hashmill::detail {

/// As KeepItemPairs, by the threads of a team, which take a row each at a time. They keep the pairs
/// of whole rounds of rows, as long as these find room and no row has more than a few.
template <class Exec, class Parts, class Match>
struct KeepPairsTogether {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Table = JoinItemTable<Exec, Parts, Match>;
  using Left = decltype(Parts::left);
  using LeftRecord = typename Left::record_type;
  using LeftValue = typename Left::Value;
  using RightValue = typename decltype(Parts::right)::Value;
  using Pair = ItemPair<Left, decltype(Parts::right)>;
  static constexpr std::uint32_t threads = backends::team_threads<Exec>;
  /// The most pairs of a row that are kept.
  static constexpr std::uint32_t few = 8;
  Parts parts;
  Match match;
  std::uint64_t* sizes;
  KeptPairs* kept;

  [[nodiscard]] static std::size_t scratch_bytes(const JoinPartPlan& plan) {
    return JoinPartTable<Exec, decltype(Parts::right)>::scratch_bytes(plan) +
           backends::team_scan_bytes + 2 * sizeof(std::uint64_t);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const JoinItem item = parts.items(number);
    auto* const total = static_cast<std::uint32_t*>(
        team.team_scratch(0).get_shmem_aligned(sizeof(std::uint32_t), 8));
    const backends::TeamScan<Exec, Member> scan(team);
    const Table table(team, parts, match, item);
    KeptPairs first{0, 0};
    if (parts.items.owns_left(number)) first = keep(team, scan, table, item, total);
    std::uint64_t sum = 0;
    for (std::uint64_t j = first.rows + team.team_rank(); j < item.left_count; j += threads) {
      sum += table.count(table.left(static_cast<std::uint32_t>(j)));
    }
    team.team_reduce(Kokkos::Sum<std::uint64_t>(sum));
    if (team.team_rank() != 0) return;
    sizes[number] = first.pairs + sum;
    kept[number] = first;
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION KeptPairs keep(const Member& team,
                                             const backends::TeamScan<Exec, Member>& scan,
                                             const Table& table, const JoinItem& item,
                                             std::uint32_t* total) const {
    constexpr std::uint32_t no_room = 1U << 16;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    auto* const memory = reinterpret_cast<Pair*>(parts.left_records + item.left_begin);
    KeptPairs first{0, 0};
    while (first.rows < item.left_count) {
      const auto j = static_cast<std::uint32_t>(first.rows) + rank;
      const FoundMatches<LeftRecord, RightValue> found(table, j, item.left_count);
      const std::uint32_t wanted = found.count <= few ? found.count : no_room;
      const std::uint32_t before = scan.exclusive_sum(wanted);  // all have read their records
      if (rank == threads - 1) *total = before + wanted;
      team.team_barrier();
      const std::uint64_t end = first.rows + threads;
      const std::uint64_t rows = end < item.left_count ? end : item.left_count;
      if (first.pairs + *total > rows) break;
      std::uint64_t place = first.pairs + before;
      if (found.count == 1) {
        memory[place] = {second_of(found.left), found.kept};
      } else if (found.count != 0) {
        using Append = AppendMatch<Pair, Pair>;
        table.for_each_match(found.left, UsePair<Pair, LeftValue, Append>{Append{memory, &place},
                                                                          second_of(found.left)});
      }
      first = {rows, first.pairs + *total};
    }
    return first;
  }
};

/// Writes the pairs of each item that were kept.
template <class Exec, class Parts>
struct WriteKeptPairs {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Left = decltype(Parts::left);
  using Right = decltype(Parts::right);
  Parts parts;
  const std::uint64_t* places;
  const KeptPairs* kept;
  typename Left::Value* left_out;
  typename Right::Value* right_out;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const auto number = static_cast<std::uint64_t>(team.league_rank());
    const std::uint64_t pairs = kept[number].pairs, begin = places[number];
    if (pairs == 0) return;
    using Pair = ItemPair<Left, Right>;
    const auto* const memory =
        reinterpret_cast<const Pair*>(parts.left_records + parts.items(number).left_begin);
    for (std::uint64_t p = team.team_rank(); p < pairs; p += backends::team_threads<Exec>) {
      const Pair pair = memory[p];
      left_out[begin + p] = pair.first;
      right_out[begin + p] = pair.second;
    }
  }
};

}  // namespace hashmill::detail
