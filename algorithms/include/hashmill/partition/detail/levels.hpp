#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <hashmill/backends/caches.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/numa_plan.hpp>
#include <hashmill/partition/detail/histogram.hpp>
#include <hashmill/partition/detail/host.hpp>
#include <hashmill/partition/detail/nodes.hpp>
#include <hashmill/partition/detail/reserve.hpp>
#include <hashmill/partition/detail/team.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>
#include <limits>
#include <string>

namespace hashmill::detail {

/// Which engine a partition runs on. Tests force `team` on hosts, too.
enum class Engine { automatic, team };

template <class Exec, Engine Choice>
inline constexpr bool uses_team_engine = backends::has_wide_teams<Exec> || Choice == Engine::team;

template <class Record>
struct NoSource {
  using record_type = Record;
};
/// A kernel that scatters the tiles of a level of the team engine, of whatever parts.
template <class Exec, class Record, bool Stable>
using AnyScatter = std::conditional_t<
    Stable, ScatterTileStable<Exec, PartitionLevel<std::uint64_t, NoSource<Record>, int, int>>,
    ScatterTile<Exec, ReservingLevel<std::uint64_t, NoSource<Record>, int, int>>>;

/// The most bits by which a team sorts: 8, or 9 where its tile has 32 KiB, so that the runs of a
/// tile still have two sectors.
template <class Record, bool Stable>
inline constexpr unsigned most_team_bits = Stable&& stable_items<Record> * sizeof(Record) < 128 ? 8
                                                                                                : 9;

/// The most bits of the part number by which one level may sort on `Exec`.
///
///     | engine | limit                                                                      |
///     |--------|----------------------------------------------------------------------------|
///     | team   | counters fit scratch beside the staged tile; at most `most_team_bits`       |
///     | host   | one cache line per part fits half of the private cache                     |
///
/// Throws BackendError on a device whose scratch cannot hold a tile.
template <class Exec, class Record, bool Team, bool Stable = false>
[[nodiscard]] unsigned max_level_bits([[maybe_unused]] const Exec& exec) {
  if constexpr (Team) {
    using Scatter = AnyScatter<Exec, Record, Stable>;
    const std::size_t scratch = Scatter::scratch_limit(exec);
    const std::size_t stage = Scatter::stage_bytes(Scatter::records_of_tile(exec));
    const std::size_t parts = scratch > stage ? (scratch - stage) / Scatter::group_bytes : 0;
    if (parts < 4) {
      throw BackendError("team scratch of " + std::to_string(scratch) +
                         " bytes cannot stage a tile of " + std::to_string(stage) + " bytes");
    }
    return std::min(static_cast<unsigned>(std::bit_width(parts)) - 1,
                    most_team_bits<Record, Stable>);
  } else {
    return backends::host_pass_bits(backends::private_cache_bytes());
  }
}

/// How a part number of `bits` bits is split: `levels` digits of nearly equal width.
struct LevelPlan {
  unsigned bits;
  unsigned levels;

  LevelPlan(unsigned part_bits, unsigned max_bits)
      : bits(part_bits), levels(std::max(1U, (part_bits + max_bits - 1) / max_bits)) {}

  /// The bits by which the levels before level `l` have sorted.
  [[nodiscard]] unsigned bits_before(unsigned l) const { return bits * l / levels; }
  [[nodiscard]] unsigned bits_of(unsigned l) const { return bits_before(l + 1) - bits_before(l); }
  /// The position of level `l`'s digit. The most significant digit comes first.
  [[nodiscard]] unsigned shift_of(unsigned l) const { return bits - bits_before(l + 1); }
};

/// Records per tile: as many as a team stages, or on hosts a few tiles per thread.
template <class Exec, class Record, bool Team, bool Stable = false>
[[nodiscard]] std::uint64_t tile_records([[maybe_unused]] const Exec& exec,
                                         [[maybe_unused]] std::uint64_t records) {
  if constexpr (Team) {
    return AnyScatter<Exec, Record, Stable>::records_of_tile(exec);
  } else {
    return backends::host_tile_records(records, backends::concurrent_teams(exec));
  }
}

/// Writes the range of all records.
template <class Offset>
struct WriteRange {
  Offset* range;
  Offset records;
  KOKKOS_FUNCTION void operator()(const std::int64_t i) const { range[i] = i == 0 ? 0 : records; }
};

/// One range of all records, in the caller's frame of `workspace`. Asynchronous.
template <class Offset, class Exec, class MemorySpace>
[[nodiscard]] Ranges<Offset> whole_range(const Exec& exec, std::uint64_t records,
                                         Workspace<MemorySpace>& workspace) {
  const auto range = workspace.template take<Offset>(exec, 2);
  backends::for_each_index("hashmill::partition::whole_range", exec, 2,
                           WriteRange<Offset>{range.data(), static_cast<Offset>(records)});
  return {range.data(), 1};
}

/// Writes where a child part of a level begins and, for the last of a group, where it ends.
template <class Offset>
struct PublishChildOffset {
  TileMap<Offset> tiles;
  unsigned bits;         // of the level's digit
  const Offset* matrix;  // of the level, scanned
  std::uint64_t children;
  unsigned group_bits;
  Offset* child_offsets;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const auto child = static_cast<std::uint64_t>(i);
    const Ranges<Offset>& parents = tiles.parents;
    const Tile tile = tiles.tiles_of(child >> bits);
    const std::uint32_t fan_out = std::uint32_t{1} << bits;
    const auto c = static_cast<std::uint32_t>(child & (fan_out - 1));
    const std::uint64_t entry = child + (child >> group_bits);
    child_offsets[entry] =
        tile.parent_tiles == 0 ? parents.begin(tile.parent) : tiles.place(matrix, tile, c, fan_out);
    const std::uint64_t next = child + 1;
    if (next == children || next >> group_bits != child >> group_bits) {
      child_offsets[entry + 1] = parents.end(tile.parent);
    }
  }
};

/// Writes where each child part of a level begins and where each group ends (see Ranges).
template <class Exec, class Offset>
void publish_child_offsets(const Exec& exec, const TileMap<Offset>& tiles, unsigned bits,
                           const Offset* matrix, unsigned group_bits, Offset* child_offsets) {
  const std::uint64_t children = tiles.parents.count << bits;
  backends::for_each_index(
      "hashmill::partition::offsets", exec, children,
      PublishChildOffset<Offset>{tiles, bits, matrix, children, group_bits, child_offsets});
}

/// Runs one level over tiles as `cut` says, stable or on a host: counts, scans and scatters the
/// records of `parents` by `digit`. Writes `child_offsets` (see Ranges), unless it is null.
/// Asynchronous on `exec`.
template <bool Team, class Exec, class Offset, class Source, class PartOf, class Sink,
          class MemorySpace>
void partition_tiles(const Exec& exec, const Ranges<Offset>& parents, const TileCut& cut,
                     std::uint64_t records, const Digit<PartOf>& digit, const Source& source,
                     const Sink& sink, unsigned group_bits, Offset* child_offsets,
                     Workspace<MemorySpace>& workspace) {
  using Record = typename Source::record_type;
  using Level = PartitionLevel<Offset, Source, PartOf, Sink>;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto first_tile = workspace.template take<Offset>(exec, parents.num_pieces() + 1);
  const auto matrix = workspace.template take<Offset>(exec, cut.tiles * digit.fan_out() + 1);
  const TileMap<Offset> map = make_tile_map(exec, parents, cut.records, first_tile, workspace);
  const Level level{map, digit, matrix.data(), source, sink};
  const std::uint32_t fan_out = digit.fan_out();
  if constexpr (Team) {
    using Count = CountTileTeam<Exec, Level>;
    using Scatter = ScatterTileStable<Exec, Level>;
    launch_tiles<Team, Kokkos::TeamPolicy<Exec>>("hashmill::partition::count", exec, cut.tiles,
                                                 Count::scratch_bytes(fan_out), Count{level});
    backends::exclusive_scan(exec, matrix, workspace);
    launch_tiles<Team, backends::RegisterBoundTeamPolicy<Exec>>(
        "hashmill::partition::scatter", exec, cut.tiles, Scatter::scratch_bytes(fan_out),
        Scatter{level});
  } else {
    using Count = CountTileHost<Exec, Level, Source>;
    using Scatter = ScatterTilesHost<Level, Record, Offset, Source>;
    launch_tiles<Team, Kokkos::TeamPolicy<Exec>>("hashmill::partition::count", exec, cut.tiles,
                                                 Count::scratch_bytes(fan_out), Count{level});
    backends::exclusive_scan(exec, matrix, workspace);
    const bool stream = backends::outgrows_caches(records * sizeof(Record));
    backends::for_each_thread("hashmill::partition::scatter", exec, Scatter::scratch_bytes(fan_out),
                              Scatter{level, stream, backends::share_blocks(exec, cut.tiles)});
  }
  if (child_offsets != nullptr) {
    publish_child_offsets(exec, map, digit.bits, matrix.data(), group_bits, child_offsets);
  }
}

/// Runs one level as `partition_tiles` does. Where `sorts_by_node` says so, by NUMA node first.
/// Teams that need not be stable reserve places instead (see `reserve_level`, and there `known`).
template <bool Team, bool Stable, class Exec, class Offset, class Source, class PartOf, class Sink,
          class MemorySpace>
void partition_level(const Exec& exec, const Ranges<Offset>& parents, std::uint64_t records,
                     const Digit<PartOf>& digit, const Source& source, const Sink& sink,
                     unsigned group_bits, Offset* child_offsets,
                     [[maybe_unused]] const PartSums<Offset>& known,
                     Workspace<MemorySpace>& workspace) {
  using Record = typename Source::record_type;
  if constexpr (Team && !Stable) {
    reserve_level(exec, parents, records, digit, source, sink, group_bits, child_offsets, known,
                  workspace);
    return;
  } else if constexpr (!Team) {
    const backends::NumaPlan& plan = backends::numa_plan();
    if (is_whole(parents) && sorts_by_node(plan, records)) {
      partition_by_node<Record>(
          exec, plan, records, digit.fan_out(), sink, child_offsets, workspace,
          [&](const Ranges<Offset>& slices, const TileCut& cut, const RecordSink<Record>& sorted,
              Offset* offsets) {
            partition_tiles<Team>(exec, slices, cut, records, digit, source, sorted,
                                  Ranges<Offset>::one_group, offsets, workspace);
          });
      return;
    }
  }
  if constexpr (!Team || Stable) {
    const std::uint64_t per_tile = tile_records<Exec, Record, Team, Stable>(exec, records);
    const TileCut cut{per_tile, tile_bound(records, parents.num_pieces(), per_tile)};
    partition_tiles<Team>(exec, parents, cut, records, digit, source, sink, group_bits,
                          child_offsets, workspace);
  }
}

/// Partitions the records of `parents` into `sink` by a part number of `plan.bits` bits, most
/// significant digit first. Writes the parts' offsets, `Ranges::entries` of them (see Ranges).
/// Asynchronous on `exec`. Each level reads every record twice and writes it once. Where teams
/// reserve places and the parts of all levels can be counted at once, that reads them once for all
/// levels instead.
///
/// `between`: two arrays of records between which the levels before the last alternate. The level
/// before the last writes between[0], so `sink` must not write there. The first level must not
/// write where `source` reads.
template <bool Team, bool Stable, class Exec, class Offset, class Source, class PartOf, class Sink,
          class MemorySpace>
void partition_levels(const Exec& exec, const Ranges<Offset>& parents, std::uint64_t records,
                      const PartOf& part_of, const LevelPlan& plan, const Source& source,
                      const Sink& sink, Offset* part_offsets,
                      std::array<typename Source::record_type*, 2> between,
                      Workspace<MemorySpace>& workspace) {
  using Record = typename Source::record_type;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const Offset* sums = nullptr;
  if constexpr (Team && !Stable) {
    if (is_whole(parents) && plan.bits <= histogram_bits(exec)) {
      sums = sum_up_all_parts<Offset>(exec, source, records, part_of, plan.bits, workspace);
    }
  }
  Ranges<Offset> current = parents;
  const Record* input = nullptr;
  for (unsigned l = 0; l < plan.levels; ++l) {
    const bool last = l + 1 == plan.levels;
    const unsigned done = plan.bits_before(l + 1);
    const unsigned group_bits = parents.ids == nullptr ? Ranges<Offset>::one_group : done;
    const std::uint64_t children = parents.count << done;
    Offset* offsets =
        last ? part_offsets
             : workspace.template take<Offset>(exec, Ranges<Offset>::entries(children, group_bits))
                   .data();
    const Digit<PartOf> digit{part_of, plan.shift_of(l), plan.bits_of(l)};
    const auto run = [&](const auto& from, const auto& to) {
      partition_level<Team, Stable>(exec, current, records, digit, from, to, group_bits, offsets,
                                    PartSums<Offset>{sums, plan.bits - done}, workspace);
    };
    Record* const output = between[(plan.levels - l) % 2];
    if (l == 0 && last) {
      run(source, sink);
    } else if (l == 0) {
      run(source, RecordSink<Record>{output});
    } else if (last) {
      run(RecordSource<Record>{input}, sink);
    } else {
      run(RecordSource<Record>{input}, RecordSink<Record>{output});
    }
    input = output;
    current = {offsets, children, nullptr, group_bits};
  }
}

/// Partitions all records of `source` as `partition_levels` does, in the caller's frame of
/// `workspace`: with memory for the records where there are several levels. `part_offsets` may be
/// null.
template <bool Team, bool Stable, class Exec, class Offset, class Source, class PartOf, class Sink,
          class MemorySpace>
void partition_whole(const Exec& exec, std::uint64_t records, const PartOf& part_of,
                     const LevelPlan& plan, const Source& source, const Sink& sink,
                     Offset* part_offsets, Workspace<MemorySpace>& workspace) {
  using Record = typename Source::record_type;
  std::array<Record*, 2> between{};
  for (unsigned b = 0; b < 2; ++b) {
    if (plan.levels > b + 1) between[b] = workspace.template take<Record>(exec, records).data();
  }
  partition_levels<Team, Stable>(exec, whole_range<Offset>(exec, records, workspace), records,
                                 part_of, plan, source, sink, part_offsets, between, workspace);
}

}  // namespace hashmill::detail
