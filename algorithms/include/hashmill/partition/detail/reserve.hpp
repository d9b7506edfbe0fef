#pragma once

#include <hashmill/backends/big_teams.hpp>
#include <hashmill/partition/detail/team.hpp>
#include <hashmill/partition/detail/tile_ranks.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>

namespace hashmill::detail {

// Levels of the team engine that are not stable. A tile takes places of the parts as it comes: one
// atomic addition for each of its groups. So nobody must know how many records each tile has for
// each part, but only how many there are of each part.

/// A tile as a list has it, read in one access.
struct alignas(16) ListedTile {
  std::uint64_t begin;
  std::uint32_t count;
  std::uint32_t parent;
};

/// Tiles of a list.
struct ListedTiles {
  const ListedTile* tiles;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Tile locate(std::uint64_t t) const {
    const ListedTile listed = tiles[t];
    Tile tile{};
    tile.begin = listed.begin;
    tile.count = listed.count;
    tile.parent = listed.parent;
    return tile;
  }
};

/// Lists the tiles of one range that begins at the first record.
struct ListEvenTiles {
  std::uint64_t records;
  std::uint64_t tile_records;
  ListedTile* tiles;

  KOKKOS_FUNCTION void operator()(const std::int64_t t) const {
    const std::uint64_t begin = static_cast<std::uint64_t>(t) * tile_records;
    const std::uint64_t left = begin < records ? records - begin : 0;
    tiles[t] = {begin, static_cast<std::uint32_t>(left < tile_records ? left : tile_records), 0};
  }
};

/// Lists the tiles of a map.
template <class Offset>
struct ListTiles {
  TileMap<Offset> map;
  ListedTile* tiles;

  KOKKOS_FUNCTION void operator()(const std::int64_t t) const {
    const Tile tile = map.locate(static_cast<std::uint64_t>(t));
    tiles[t] = {tile.begin, static_cast<std::uint32_t>(tile.count),
                static_cast<std::uint32_t>(tile.parent)};
  }
};

/// Whether the ranges are one, of all records of a source, as `whole_range` makes it.
template <class Offset>
[[nodiscard]] bool is_whole(const Ranges<Offset>& ranges) {
  return ranges.count == 1 && ranges.ids == nullptr && ranges.pieces.begins == nullptr;
}

/// Lists `bound` tiles of a map. Asynchronous.
template <class Exec, class Offset, class MemorySpace>
[[nodiscard]] ListedTiles list_tiles(const Exec& exec, const TileMap<Offset>& map,
                                     std::uint64_t bound, Workspace<MemorySpace>& workspace) {
  const auto tiles = workspace.template take<ListedTile>(exec, bound);
  backends::for_each_index("hashmill::partition::list_tiles", exec, bound,
                           ListTiles<Offset>{map, tiles.data()});
  return ListedTiles{tiles.data()};
}

/// Lists `bound` tiles of `parents`, the last of which may be empty. Asynchronous.
template <class Exec, class Offset, class MemorySpace>
[[nodiscard]] ListedTiles list_tiles(const Exec& exec, const Ranges<Offset>& parents,
                                     std::uint64_t records, std::uint64_t tile_records,
                                     std::uint64_t bound, Workspace<MemorySpace>& workspace) {
  if (!is_whole(parents)) {
    const auto first_tile = workspace.template take<Offset>(exec, parents.num_pieces() + 1);
    return list_tiles(exec, make_tile_map(exec, parents, tile_records, first_tile, workspace),
                      bound, workspace);
  }
  const auto tiles = workspace.template take<ListedTile>(exec, bound);
  backends::for_each_index("hashmill::partition::list_tiles", exec, bound,
                           ListEvenTiles{records, tile_records, tiles.data()});
  return ListedTiles{tiles.data()};
}

/// What a level works on whose tiles take places of the parts.
template <class Offset, class Source, class PartOf, class Sink>
struct ReservingLevel {
  using record_type = typename Source::record_type;
  using offset_type = Offset;
  ListedTiles tiles;
  Digit<PartOf> digit;
  Offset* parts;  // how many records each part has, then its next free place
  Source source;
  Sink sink;

  /// Adds to the records of a part.
  KOKKOS_FORCEINLINE_FUNCTION void note(const Tile& tile, std::uint32_t c,
                                        std::uint32_t count) const {
    if (count != 0) Kokkos::atomic_add(part(tile, c), static_cast<Offset>(count));
  }
  /// The position of the first of `count` records with digit value `c`, whose places are taken.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset take(const Tile& tile, std::uint32_t c,
                                                        std::uint32_t count) const {
    return count == 0 ? 0 : Kokkos::atomic_fetch_add(part(tile, c), static_cast<Offset>(count));
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset* part(const Tile& tile, std::uint32_t c) const {
    return parts + (tile.parent << digit.bits) + c;
  }
};

/// Records per thread of a team that scatters a tile: 128 bytes of them, in registers.
template <class Record>
inline constexpr int held_items = sizeof(Record) <= 8     ? 16
                                  : sizeof(Record) >= 128 ? 1
                                                          : static_cast<int>(128 / sizeof(Record));

/// Teams that scatter tiles. 512 threads hold 64 KiB of records, so that a run to one of 256 parts
/// has 256 bytes. Two teams fit a multiprocessor of an H200 with their registers.
template <class Exec>
using ScatterTeams = backends::BigTeams<Exec, 512, 2>;

/// Stages a tile in scratch, grouped by digit value, takes places for its groups and flushes each
/// as one coalesced run.
///
/// Per record: one read, one scratch atomic, one scratch write and read, and one global write. The
/// low byte of each record's digit lies beside it in scratch, since finding a part can take many
/// instructions.
template <class Exec, class Level>
struct ScatterTile {
  using Teams = ScatterTeams<Exec>;
  using Member = typename Teams::Member;
  using Record = typename Level::record_type;
  using Offset = typename Level::offset_type;
  using Stage = TileStage<Teams, Level>;
  static constexpr int items = held_items<Record>;
  using Ranks = TileRanks<Teams, Record, items>;
  Level level;
  std::uint32_t tile_records;

  /// Bytes of scratch that a tile takes, without what its groups take.
  [[nodiscard]] static std::size_t stage_bytes(std::uint32_t tile_records) {
    return tile_records * (sizeof(Record) + sizeof(std::uint8_t)) + Stage::slack_bytes;
  }
  /// Bytes of scratch per group: its place and its counter.
  static constexpr std::size_t group_bytes = sizeof(std::uint64_t) + Ranks::bytes_per_part;
  /// Bytes of scratch that a team may have.
  [[nodiscard]] static std::size_t scratch_limit(const Exec& exec) {
    return Teams::scratch_limit(exec);
  }
  /// Records of a tile: as many as its threads hold, or a half of them, a quarter and so on where
  /// these and 256 groups do not fit scratch.
  [[nodiscard]] static std::uint32_t records_of_tile(const Exec& exec) {
    constexpr std::size_t groups = 256;
    std::uint32_t records = Teams::threads * items;
    while (records > 1 && stage_bytes(records) + groups * group_bytes > scratch_limit(exec)) {
      records /= 2;
    }
    return records;
  }
  [[nodiscard]] std::size_t scratch_bytes() const {
    return stage_bytes(tile_records) + level.digit.fan_out() * group_bytes;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Tile tile = level.tiles.locate(team.league_rank());
    if (tile.count == 0) return;
    constexpr std::uint32_t low_values = 256;
    const std::uint32_t fan_out = level.digit.fan_out();
    const Stage stage(level, team, tile_records);
    auto* low = static_cast<std::uint8_t*>(
        team.team_shmem().get_shmem_aligned(tile_records * sizeof(std::uint8_t), 16));
    Ranks ranks(team, tile, level.source, fan_out);
    ranks.rank(tile, level.digit);
    team.team_barrier();
    for (std::uint32_t c = stage.begin; c < stage.end; ++c) {
      stage.base[c] = level.take(tile, c, ranks.count(c));
    }
    stage.begin_groups(ranks);
    team.team_barrier();
    ranks.stage(stage.records, low);
    team.team_barrier();
    const std::uint32_t high = fan_out > low_values ? ranks.begin_of(low_values) : ~0U;
    stage.flush(
        tile, [&](std::uint32_t j, const Record&) { return low[j] + (j < high ? 0 : low_values); });
  }
};

/// Scatters `tiles` tiles of a level. Asynchronous.
template <class Exec, class Level>
void scatter_tiles(const Exec& exec, std::uint64_t tiles, const Level& level) {
  using Scatter = ScatterTile<Exec, Level>;
  check_tiles(tiles);
  const Scatter scatter{level, Scatter::records_of_tile(exec)};
  Scatter::Teams::launch("hashmill::partition::scatter", exec, static_cast<int>(tiles),
                         scatter.scratch_bytes(), scatter);
}

/// How many records there are of the parts before each part, and of all; of 2^shift times as many
/// parts as a level has.
template <class Offset>
struct PartSums {
  const Offset* sums = nullptr;
  unsigned shift = 0;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset before(std::uint64_t part) const {
    return sums[part << shift];
  }
};

/// Writes where each child part of a level begins: to `next`, and to `child_offsets` (see Ranges)
/// unless it is null, with the end of each group.
template <class Offset>
struct PlaceChildren {
  Ranges<Offset> parents;
  PartSums<Offset> sums;
  unsigned bits;  // of the level's digit
  unsigned group_bits;
  Offset* next;
  Offset* child_offsets;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const auto child = static_cast<std::uint64_t>(i);
    const std::uint64_t parent = child >> bits;
    const auto place = static_cast<Offset>(parents.begin(parent) + sums.before(child) -
                                           sums.before(parent << bits));
    next[child] = place;
    if (child_offsets == nullptr) return;
    const std::uint64_t entry = child + (child >> group_bits), after = child + 1;
    child_offsets[entry] = place;
    if (after == parents.count << bits || after >> group_bits != child >> group_bits) {
      child_offsets[entry + 1] = parents.end(parent);
    }
  }
};

/// Adds the records of `tiles` tiles of a level to the numbers in its `parts`. Asynchronous. Reads
/// every record.
template <class Exec, class Level>
void count_tiles(const Exec& exec, std::uint64_t tiles, const Level& level) {
  using Count = CountTileTeam<Exec, Level>;
  launch_tiles<true, Kokkos::TeamPolicy<Exec>>("hashmill::partition::count", exec, tiles,
                                               Count::scratch_bytes(level.digit.fan_out()),
                                               Count{level});
}

/// Counts the records of each part of a level in its `parts`, which has one element more, and sums
/// them up. Asynchronous. Reads every record.
template <class Exec, class Level, class Array, class MemorySpace>
[[nodiscard]] auto sum_up_parts(const Exec& exec, std::uint64_t tiles, const Level& level,
                                const Array& parts, Workspace<MemorySpace>& workspace) {
  Kokkos::deep_copy(exec, parts, typename Level::offset_type{0});
  count_tiles(exec, tiles, level);
  backends::exclusive_scan(exec, parts, workspace);
  return PartSums<typename Level::offset_type>{parts.data()};
}

/// Runs one level of the team engine that is not stable: scatters the records of `parents` by
/// `digit`. Writes `child_offsets` (see Ranges), unless it is null. `known`: the sums of the parts,
/// if they were counted before. Asynchronous on `exec`. Reads and writes every record once, and
/// reads it once more where its part must be counted.
template <class Exec, class Offset, class Source, class PartOf, class Sink, class MemorySpace>
void reserve_level(const Exec& exec, const Ranges<Offset>& parents, std::uint64_t records,
                   const Digit<PartOf>& digit, const Source& source, const Sink& sink,
                   unsigned group_bits, Offset* child_offsets, const PartSums<Offset>& known,
                   Workspace<MemorySpace>& workspace) {
  using Level = ReservingLevel<Offset, Source, PartOf, Sink>;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const std::uint64_t tile_records = ScatterTile<Exec, Level>::records_of_tile(exec);
  const std::uint64_t tiles = tile_bound(records, parents.num_pieces(), tile_records);
  const std::uint64_t children = parents.count << digit.bits;
  const auto next = workspace.template take<Offset>(exec, children);
  Level level{list_tiles(exec, parents, records, tile_records, tiles, workspace), digit,
              next.data(), source, sink};
  PartSums<Offset> sums = known;
  if (sums.sums == nullptr) {
    const auto counts = workspace.template take<Offset>(exec, children + 1);
    level.parts = counts.data();
    sums = sum_up_parts(exec, tiles, level, counts, workspace);
    level.parts = next.data();
  }
  backends::for_each_index(
      "hashmill::partition::offsets", exec, children,
      PlaceChildren<Offset>{parents, sums, digit.bits, group_bits, next.data(), child_offsets});
  scatter_tiles(exec, tiles, level);
}

}  // namespace hashmill::detail
