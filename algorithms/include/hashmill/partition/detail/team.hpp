#pragma once

#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/backends/team_scan.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/partition/detail/stable_tile_sort.hpp>
#include <hashmill/partition/detail/tile_ranks.hpp>
#include <hashmill/partition/detail/tiles.hpp>

namespace hashmill::detail {

/// Records that a thread of a team reads at a time. Those in flight hide the latency of memory;
/// more would leave too few registers for four teams per multiprocessor.
template <class Record>
inline constexpr int batch_records = sizeof(Record) <= 16   ? 8
                                     : sizeof(Record) <= 32 ? 4
                                                            : 2;

/// Records per thread of a team. 256 threads stage 32 KiB of records. A stable sort, which has all
/// of them in registers, takes half as many of 8 bytes. Of 16 bytes it spills some, but half as
/// many take up to a quarter longer (u32 + u64 to 256 parts on an H200: 3.39 ms instead of 2.66).
template <class Record, bool Stable>
inline constexpr int items_per_thread = batch_records<Record>*(sizeof(Record) <= 8 && !Stable ? 2
                                                                                              : 1);

/// Bytes of scratch for the scan of a tile and for alignment.
inline constexpr std::size_t tile_stage_slack = backends::team_scan_bytes + 64;

/// Bytes of scratch that a tile takes, excluding the counters of its parts.
template <class Record, bool Stable>
[[nodiscard]] std::size_t tile_stage_bytes(int threads) {
  return static_cast<std::size_t>(threads) * items_per_thread<Record, Stable> * sizeof(Record) +
         tile_stage_slack;
}

/// Bytes of scratch per part of a tile: its place, and its cursor or the counters of a stable sort.
template <class Exec, class Record, bool Stable>
inline constexpr std::size_t part_counter_bytes =
    sizeof(std::uint64_t) +
    (Stable ? StableTileSort<Exec, Record, items_per_thread<Record, Stable>>::bytes_per_part
            : sizeof(std::uint32_t));

/// What one level of partitioning works on, in either engine.
template <class Offset, class Source, class PartOf, class Sink>
struct PartitionLevel {
  using record_type = typename Source::record_type;
  TileMap<Offset> tiles;
  Digit<PartOf> digit;
  Offset* matrix;  // counts of each tile and digit value, then (scanned) places
  Source source;
  Sink sink;

  /// The position at which `tile` writes its first record with digit value `c`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset place(const Tile& tile, std::uint32_t c) const {
    return tiles.place(matrix, tile, c, digit.fan_out());
  }
  /// The number of records of the tile with digit value `c`; `matrix` is already scanned.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count(const Tile& tile,
                                                                std::uint32_t c) const {
    const std::uint64_t cell = tile.cell(c, digit.fan_out());
    return static_cast<std::uint32_t>(matrix[cell + 1] - matrix[cell]);
  }
};

/// What a level works on that has one parent, and whose parts have known sizes. Nothing is counted
/// before: a tile takes places of the parts as it comes.
template <class Offset, class Source, class PartOf, class Sink>
struct KnownPartsLevel {
  using record_type = typename Source::record_type;
  EvenTiles tiles;
  Digit<PartOf> digit;
  Offset* next;  // the next free place of each part
  Source source;
  Sink sink;

  /// The position of the first of `count` records with digit value `c`, whose places are taken.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset take(std::uint32_t c,
                                                        std::uint32_t count) const {
    return count == 0 ? 0 : Kokkos::atomic_fetch_add(next + c, static_cast<Offset>(count));
  }
};

/// Team engine, first half: counts a tile's records by digit value in scratch.
template <class Exec, class Level>
struct CountTileTeam {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Level level;

  [[nodiscard]] static std::size_t scratch_bytes(std::uint32_t fan_out) {
    return fan_out * sizeof(std::uint32_t) + 16;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Tile tile = level.tiles.locate(team.league_rank());
    if (tile.count == 0) return;
    const std::uint32_t fan_out = level.digit.fan_out();
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    auto* counts = static_cast<std::uint32_t*>(
        team.team_shmem().get_shmem_aligned(fan_out * sizeof(std::uint32_t), 16));
    for (std::uint32_t c = rank; c < fan_out; c += size) counts[c] = 0;
    team.team_barrier();
    using Record = typename Level::record_type;
    for_each_record<size, batch_records<Record>>(
        level.source, tile, rank, [&](const Record& record) {
          backends::team_fetch_add<Exec>(&counts[level.digit(record)], std::uint32_t{1});
        });
    team.team_barrier();
    for (std::uint32_t c = rank; c < fan_out; c += size) {
      level.matrix[tile.cell(c, fan_out)] = counts[c];
    }
  }
};

/// Team engine, second half: stages a tile in scratch, grouped by digit value. Then it flushes
/// every group as one coalesced run.
///
/// Per record: one read, one scratch atomic (or, when stable, votes), one scratch write and read,
/// and one global write. Global writes come in runs of tile / fan-out records. They are the limit:
/// on an H200, a pass to 256 parts takes as long where finding a digit is one shift.
template <class Exec, class Level, class Record, class Offset, bool Stable>
struct ScatterTileTeam {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Scan = backends::TeamScan<Exec, Member>;
  static constexpr bool knows_parts = requires(const Level& level) { level.next; };
  /// Where parts are known, a byte for each record must fit scratch.
  static constexpr int items = items_per_thread<Record, Stable> - (knows_parts ? 1 : 0);
  static constexpr std::uint32_t tile_records =
      static_cast<std::uint32_t>(backends::team_threads<Exec> * items);
  Level level;

  [[nodiscard]] static std::size_t scratch_bytes(int threads, std::uint32_t fan_out) {
    if (knows_parts) {
      return tile_records * (sizeof(Record) + 1) + tile_stage_slack +
             fan_out * (sizeof(Offset) + TileRanks<Exec, Record, items>::bytes_per_part);
    }
    return tile_stage_bytes<Record, Stable>(threads) +
           fan_out * part_counter_bytes<Exec, Record, Stable>;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Tile tile = level.tiles.locate(team.league_rank());
    if (tile.count == 0) return;
    const std::uint32_t fan_out = level.digit.fan_out();
    auto* stage = static_cast<Record*>(
        team.team_shmem().get_shmem_aligned(tile_records * sizeof(Record), 16));
    auto* base =
        static_cast<Offset*>(team.team_shmem().get_shmem_aligned(fan_out * sizeof(Offset), 16));
    const Scan scan(team);
    if constexpr (knows_parts) {
      return scatter_to_known_parts(team, tile, scan, base, stage);
    } else if constexpr (Stable) {
      StableTileSort<Exec, Record, items> sort(team, tile, level.source, fan_out);
      load_places(team, tile, base);
      sort.rank(level.digit);
      team.team_barrier();
      begin_groups(team, scan, base, sort);
      team.team_barrier();
      sort.stage(stage);
    } else {
      auto* cursor = static_cast<std::uint32_t*>(
          team.team_shmem().get_shmem_aligned(fan_out * sizeof(std::uint32_t), 16));
      load_places(team, tile, base);
      begin_groups(team, scan, base, Cursors{level, tile, cursor});
      team.team_barrier();
      stage_by_digit(team, tile, cursor, stage);
    }
    team.team_barrier();
    flush(team, tile, base, stage,
          [&](std::uint32_t, const Record& record) { return level.digit(record); });
  }

 private:
  /// The low byte of each record's digit lies beside it, since finding parts among those of several
  /// ranks takes many instructions.
  KOKKOS_FUNCTION void scatter_to_known_parts(const Member& team, const Tile& tile,
                                              const Scan& scan, Offset* base, Record* stage) const {
    constexpr std::uint32_t low_values = 256;
    const std::uint32_t fan_out = level.digit.fan_out();
    auto* low = static_cast<std::uint8_t*>(
        team.team_shmem().get_shmem_aligned(tile_records * sizeof(std::uint8_t), 16));
    TileRanks<Exec, Record, items> ranks(team, tile, level.source, fan_out);
    ranks.rank(level.digit);
    team.team_barrier();
    take_places(team, base, ranks);
    begin_groups(team, scan, base, ranks);
    team.team_barrier();
    ranks.stage(stage, low);
    team.team_barrier();
    const std::uint32_t high = fan_out > low_values ? ranks.begin_of(low_values) : ~0U;
    flush(team, tile, base, stage,
          [&](std::uint32_t j, const Record&) { return low[j] + (j < high ? 0 : low_values); });
  }

  /// Where the next record of each group comes in the stage. The sizes of groups are known from the
  /// first half.
  struct Cursors {
    const Level& level;
    const Tile& tile;
    std::uint32_t* cursor;

    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count(std::uint32_t c) const {
      return cursor[c] = level.count(tile, c);
    }
    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t begin_group(std::uint32_t c,
                                                          std::uint32_t start) const {
      const std::uint32_t count = cursor[c];
      cursor[c] = start;
      return start + count;
    }
  };

  /// The digit values that a thread prepares.
  struct Values {
    std::uint32_t begin, end;
    KOKKOS_FORCEINLINE_FUNCTION Values(const Member& team, std::uint32_t fan_out) {
      constexpr std::uint32_t size = backends::team_threads<Exec>;
      const std::uint32_t chunk = (fan_out + size - 1) / size;
      begin = static_cast<std::uint32_t>(team.team_rank()) * chunk;
      end = begin + chunk < fan_out ? begin + chunk : fan_out;
    }
  };

  /// base[c]: the final position of the tile's first record of group c.
  KOKKOS_FUNCTION void load_places(const Member& team, const Tile& tile, Offset* base) const {
    const Values values(team, level.digit.fan_out());
    for (std::uint32_t c = values.begin; c < values.end; ++c) base[c] = level.place(tile, c);
  }

  /// As `load_places`, of places that the tile takes.
  KOKKOS_FUNCTION void take_places(const Member& team, Offset* base,
                                   const TileRanks<Exec, Record, items>& ranks) const {
    const Values values(team, level.digit.fan_out());
    for (std::uint32_t c = values.begin; c < values.end; ++c) {
      base[c] = level.take(c, ranks.count(c));
    }
  }

  /// Lays the groups side by side in the stage. base[c] becomes what a staged position of group c
  /// lacks to its final position.
  template <class Groups>
  KOKKOS_FUNCTION void begin_groups(const Member& team, const Scan& scan, Offset* base,
                                    const Groups& groups) const {
    const Values values(team, level.digit.fan_out());
    std::uint32_t sum = 0;
    for (std::uint32_t c = values.begin; c < values.end; ++c) sum += groups.count(c);
    std::uint32_t start = scan.exclusive_sum(sum);
    for (std::uint32_t c = values.begin; c < values.end; ++c) {
      base[c] -= static_cast<Offset>(start);
      start = groups.begin_group(c, start);
    }
  }

  KOKKOS_FUNCTION void stage_by_digit(const Member& team, const Tile& tile, std::uint32_t* cursor,
                                      Record* stage) const {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const auto rank = backends::spread_rank<Exec>(static_cast<std::uint32_t>(team.team_rank()));
    for_each_record<size, batch_records<Record>>(
        level.source, tile, rank, [&](const Record& record) {
          std::uint32_t& place = cursor[level.digit(record)];
          stage[backends::team_fetch_add<Exec>(&place, std::uint32_t{1})] = record;
        });
  }

  /// `digit_of(j, record)`: the digit of staged record j.
  template <class DigitOf>
  KOKKOS_FUNCTION void flush(const Member& team, const Tile& tile, const Offset* base,
                             const Record* stage, const DigitOf& digit_of) const {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const auto records = static_cast<std::uint32_t>(tile.count);
    HASHMILL_UNROLL(4)
    for (std::uint32_t j = team.team_rank(); j < records; j += size) {
      const Record record = stage[j];
      level.sink(static_cast<Offset>(base[digit_of(j, record)] + j), record);
    }
  }
};

}  // namespace hashmill::detail
