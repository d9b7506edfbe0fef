#pragma once

#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/backends/team_scan.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/partition/detail/stable_tile_sort.hpp>
#include <hashmill/partition/detail/tiles.hpp>

namespace hashmill::detail {

/// Records per thread of a team. 256 threads stage 32 KiB of records, or half of that where a
/// stable sort needs scratch beside them.
template <class Record, bool Stable>
inline constexpr int items_per_thread = (sizeof(Record) <= 8    ? 16
                                         : sizeof(Record) <= 16 ? 8
                                         : sizeof(Record) <= 32 ? 4
                                                                : 2) /
                                        (Stable ? 2 : 1);

/// Bytes of scratch that a tile takes, excluding the counters of its parts.
template <class Record, bool Stable>
[[nodiscard]] std::size_t tile_stage_bytes(int threads) {
  constexpr int items = items_per_thread<Record, Stable>;
  constexpr std::size_t alignment_slack = 64;
  return static_cast<std::size_t>(threads) * items * sizeof(Record) +
         (Stable ? StableTileSort<Record, items>::scratch_bytes(threads) : 0) +
         backends::team_scan_bytes + alignment_slack;
}

/// Bytes of scratch per part of a tile: its place and its cursor.
inline constexpr std::size_t part_counter_bytes = sizeof(std::uint64_t) + sizeof(std::uint32_t);

/// What one level of partitioning works on, in either engine.
template <class Offset, class Source, class PartOf, class Sink>
struct PartitionLevel {
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
    const auto records = static_cast<std::uint32_t>(tile.count);
    HASHMILL_UNROLL(8)
    for (std::uint32_t j = rank; j < records; j += size) {
      const std::uint32_t c = level.digit(level.source(tile.begin + j));
      backends::team_fetch_add<Exec>(&counts[c], std::uint32_t{1});
    }
    team.team_barrier();
    for (std::uint32_t c = rank; c < fan_out; c += size) {
      level.matrix[tile.cell(c, fan_out)] = counts[c];
    }
  }
};

/// Team engine, second half: stages a tile in scratch, grouped by digit value. Then it flushes
/// every group as one coalesced run.
///
/// Per record: one read, one scratch atomic (or, when stable, a scratch sort), one scratch write
/// and read, and one global write. Global writes come in runs of tile / fan-out records.
template <class Exec, class Level, class Record, class Offset, bool Stable>
struct ScatterTileTeam {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int items = items_per_thread<Record, Stable>;
  Level level;

  [[nodiscard]] static std::size_t scratch_bytes(int threads, std::uint32_t fan_out) {
    return tile_stage_bytes<Record, Stable>(threads) + fan_out * part_counter_bytes;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Tile tile = level.tiles.locate(team.league_rank());
    if (tile.count == 0) return;
    const std::uint32_t fan_out = level.digit.fan_out();
    auto* stage = static_cast<Record*>(team.team_shmem().get_shmem_aligned(
        backends::team_threads<Exec> * items * sizeof(Record), 16));
    auto* base =
        static_cast<Offset*>(team.team_shmem().get_shmem_aligned(fan_out * sizeof(Offset), 16));
    auto* cursor = static_cast<std::uint32_t*>(
        team.team_shmem().get_shmem_aligned(fan_out * sizeof(std::uint32_t), 16));
    const backends::TeamScan<Exec, Member> scan(team);
    load_places(team, scan, tile, base, cursor);
    if constexpr (Stable) {
      StableTileSort<Record, items>::run(team, scan, tile, level.source, level.digit, stage);
    } else {
      team.team_barrier();
      stage_by_digit(team, tile, cursor, stage);
    }
    team.team_barrier();
    flush(team, tile, base, stage);
  }

 private:
  /// base[c]: added to a staged position of group c, it gives the final position. cursor[c]: where
  /// group c begins in the stage.
  KOKKOS_FUNCTION void load_places(const Member& team, const backends::TeamScan<Exec, Member>& scan,
                                   const Tile& tile, Offset* base, std::uint32_t* cursor) const {
    const std::uint32_t fan_out = level.digit.fan_out();
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const std::uint32_t chunk = (fan_out + size - 1) / size;
    const std::uint32_t begin = static_cast<std::uint32_t>(team.team_rank()) * chunk;
    const std::uint32_t end = begin + chunk < fan_out ? begin + chunk : fan_out;
    std::uint32_t sum = 0;
    for (std::uint32_t c = begin; c < end; ++c) {
      const std::uint32_t count = level.count(tile, c);
      cursor[c] = count;
      sum += count;
    }
    std::uint32_t start = scan.exclusive_sum(sum);
    for (std::uint32_t c = begin; c < end; ++c) {
      const std::uint32_t count = cursor[c];
      cursor[c] = start;
      base[c] = level.place(tile, c) - static_cast<Offset>(start);
      start += count;
    }
  }

  KOKKOS_FUNCTION void stage_by_digit(const Member& team, const Tile& tile, std::uint32_t* cursor,
                                      Record* stage) const {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const auto rank = backends::spread_rank<Exec>(static_cast<std::uint32_t>(team.team_rank()));
    const auto records = static_cast<std::uint32_t>(tile.count);
    // A batch is read entirely before its first record is staged. That keeps many loads in flight,
    // yet needs few enough registers for four teams per multiprocessor. Positions are one 64-bit
    // number plus constants. Where each is widened by itself, hash_join_size of 8-byte keys takes
    // 7 % longer (H200).
    constexpr int batch = items < 8 ? items : 8;
    HASHMILL_UNROLL(1)
    for (std::uint32_t done = rank; done < records; done += batch * size) {
      Record held[batch];
      HASHMILL_UNROLL(8)
      for (int k = 0; k < batch; ++k) {
        if (done + k * size < records) {
          held[k] = level.source(tile.begin + done + static_cast<std::uint64_t>(k) * size);
        }
      }
      HASHMILL_UNROLL(8)
      for (int k = 0; k < batch; ++k) {
        if (done + k * size < records) {
          const std::uint32_t c = level.digit(held[k]);
          stage[backends::team_fetch_add<Exec>(&cursor[c], std::uint32_t{1})] = held[k];
        }
      }
    }
  }

  KOKKOS_FUNCTION void flush(const Member& team, const Tile& tile, const Offset* base,
                             const Record* stage) const {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const auto records = static_cast<std::uint32_t>(tile.count);
    HASHMILL_UNROLL(4)
    for (std::uint32_t j = team.team_rank(); j < records; j += size) {
      const Record record = stage[j];
      level.sink(static_cast<Offset>(base[level.digit(record)] + j), record);
    }
  }
};

}  // namespace hashmill::detail
