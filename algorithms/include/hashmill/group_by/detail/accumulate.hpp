#pragma once

#include <algorithm>
#include <hashmill/backends/caches.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/streaming.hpp>
#include <hashmill/group_by/detail/fold_list.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>

namespace hashmill::detail {

/// Rows, the number of each row's group, and the accumulators of the groups.
template <class Folds, class Row>
struct GroupedRows {
  using Group = typename Folds::Group;
  Folds folds;
  const Row* group_of;
  std::uint64_t num_rows;
  Group* groups;
  std::uint64_t num_groups;
};

template <class Folds, class Row>
struct ClearGroups {
  GroupedRows<Folds, Row> rows;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const { rows.folds.clear(rows.groups + g); }
};

template <class Folds, class Row>
struct SettleGroups {
  GroupedRows<Folds, Row> rows;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const { rows.folds.settle(rows.groups + g); }
};

/// Few groups: each team adds its share of the rows to accumulators of its own in scratch, and
/// merges them at the end. If there is room, a team has several copies of each accumulator, so that
/// its threads seldom meet. A team of one thread needs no atomics while it adds.
template <class Exec, class Folds, class Row, bool Again>
struct AccumulateInScratch {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Group = typename Folds::Group;
  using How = std::conditional_t<backends::has_wide_teams<Exec>, SharedInScratch<Exec>, Alone>;
  GroupedRows<Folds, Row> rows;
  std::uint32_t copies;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    constexpr int level = backends::has_wide_teams<Exec> ? 0 : 1;
    const auto rank = static_cast<std::uint64_t>(team.team_rank());
    const auto threads = static_cast<std::uint64_t>(team.team_size());
    const std::uint64_t num_own = rows.num_groups * copies;
    auto* const own = static_cast<Group*>(
        team.team_scratch(level).get_shmem_aligned(num_own * sizeof(Group), alignof(Group)));
    for (std::uint64_t k = rank; k < num_own; k += threads) rows.folds.clear(own + k);
    team.team_barrier();
    Group* const mine = own + rank % copies * rows.num_groups;
    const auto league = static_cast<std::uint64_t>(team.league_size());
    const std::uint64_t share = (rows.num_rows + league - 1) / league;
    const std::uint64_t begin = static_cast<std::uint64_t>(team.league_rank()) * share;
    const std::uint64_t end = begin + share < rows.num_rows ? begin + share : rows.num_rows;
    for (std::uint64_t i = begin + rank; i < end; i += threads) {
      const Row g = rows.group_of[i];
      rows.folds.template add<How, Again>(mine + g, rows.groups + g, i);
    }
    team.team_barrier();
    for (std::uint64_t g = rank; g < rows.num_groups; g += threads) {
      for (std::uint64_t c = 1; c < copies; ++c) {
        rows.folds.template merge<Alone, Again>(own + g, own[c * rows.num_groups + g]);
      }
      rows.folds.template merge<Shared, Again>(rows.groups + g, own[g]);
    }
  }
};

/// Many groups: all threads share one copy of the accumulators in memory and access it at random.
/// Hosts prefetch the accumulators `lead` rows ahead.
template <class Exec, class Folds, class Row, bool Again>
struct AccumulateInMemory {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::uint64_t tile_rows = 4096;
  static constexpr std::uint64_t lead = 16;
  GroupedRows<Folds, Row> rows;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint64_t begin = static_cast<std::uint64_t>(team.league_rank()) * tile_rows;
    const std::uint64_t end = begin + tile_rows < rows.num_rows ? begin + tile_rows : rows.num_rows;
    const auto threads = static_cast<std::uint64_t>(team.team_size());
    for (std::uint64_t i = begin + static_cast<std::uint64_t>(team.team_rank()); i < end;
         i += threads) {
      if constexpr (!backends::has_wide_teams<Exec>) {
        KOKKOS_IF_ON_HOST(
            (if (i + lead < end) backends::prefetch(rows.groups + rows.group_of[i + lead]);))
      }
      auto* const group = rows.groups + rows.group_of[i];
      rows.folds.template add<Shared, Again>(group, group, i);
    }
  }
};

/// How scratch is used: the number of teams, and the copies of all accumulators that each team has.
/// There are 0 copies if they do not fit, or if merging them would cost as much as it saves.
struct ScratchShare {
  std::uint64_t teams;
  std::uint32_t copies;
};

template <class Exec>
[[nodiscard]] ScratchShare share_scratch(const Exec& exec, std::uint64_t rows, std::uint64_t groups,
                                         std::size_t group_bytes) {
  constexpr bool wide = backends::has_wide_teams<Exec>;
  const std::size_t room = wide ? backends::team_shape<Exec>().scratch_bytes - alignof(double)
                                : backends::private_cache_bytes() / 2;
  const std::uint64_t teams = backends::concurrent_teams(exec);
  if (groups > room / group_bytes || rows / 4 < groups * teams) return {teams, 0};
  std::uint32_t copies = 1;
  while (wide && copies < 32 && groups * copies * 2 <= room / group_bytes) copies *= 2;
  return {teams, copies};
}

template <bool Again, class Exec, class Folds, class Row>
void accumulate_pass(const Exec& exec, const GroupedRows<Folds, Row>& rows) {
  using Group = typename Folds::Group;
  const ScratchShare share = share_scratch(exec, rows.num_rows, rows.num_groups, sizeof(Group));
  using Policy = Kokkos::TeamPolicy<Exec>;
  if (share.copies != 0) {
    launch_tiles<backends::has_wide_teams<Exec>, Policy>(
        "hashmill::aggregate::in_scratch", exec, share.teams,
        rows.num_groups * share.copies * sizeof(Group) + alignof(Group),
        AccumulateInScratch<Exec, Folds, Row, Again>{rows, share.copies});
  } else {
    using Kernel = AccumulateInMemory<Exec, Folds, Row, Again>;
    launch_tiles<backends::has_wide_teams<Exec>, Policy>(
        "hashmill::aggregate::in_memory", exec,
        (rows.num_rows + Kernel::tile_rows - 1) / Kernel::tile_rows, 0, Kernel{rows});
  }
}

/// Accumulates all rows, in two passes if an aggregation needs them; asynchronous.
template <class Exec, class Folds, class Row>
void accumulate(const Exec& exec, const GroupedRows<Folds, Row>& rows) {
  if (rows.num_rows == 0) return;
  backends::for_each_index("hashmill::aggregate::clear", exec, rows.num_groups,
                           ClearGroups<Folds, Row>{rows});
  accumulate_pass<false>(exec, rows);
  if constexpr (Folds::two_passes) {
    backends::for_each_index("hashmill::aggregate::settle", exec, rows.num_groups,
                             SettleGroups<Folds, Row>{rows});
    accumulate_pass<true>(exec, rows);
  }
}

}  // namespace hashmill::detail
