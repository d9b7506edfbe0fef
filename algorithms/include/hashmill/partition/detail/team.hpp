#pragma once

#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/backends/team_scan.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/partition/detail/stable_tile_sort.hpp>
#include <hashmill/partition/detail/tiles.hpp>

namespace hashmill::detail {

/// Records that a thread of a team reads at a time. Those in flight hide the latency of memory;
/// more would leave too few registers for four teams per multiprocessor.
template <class Record>
inline constexpr int batch_records = sizeof(Record) <= 16   ? 8
                                     : sizeof(Record) <= 32 ? 4
                                                            : 2;

/// Records per thread of a team that sorts a tile stably, all of them in registers. Of 16 bytes it
/// spills some, but half as many take up to a quarter longer (u32 + u64 to 256 parts on an H200:
/// 3.39 ms instead of 2.66).
template <class Record>
inline constexpr int stable_items = batch_records<Record>;

/// Teams of Kokkos's own, as kernels for teams of several kinds see them.
template <class Exec>
struct PlainTeams {
  using execution_space = Exec;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int threads = backends::team_threads<Exec>;
};

/// What one level of partitioning works on, in either engine.
template <class Offset, class Source, class PartOf, class Sink>
struct PartitionLevel {
  using record_type = typename Source::record_type;
  using offset_type = Offset;
  TileMap<Offset> tiles;
  Digit<PartOf> digit;
  Offset* matrix;  // counts of each tile and digit value, then (scanned) places
  Source source;
  Sink sink;

  /// The position at which `tile` writes its first record with digit value `c`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset place(const Tile& tile, std::uint32_t c) const {
    return tiles.place(matrix, tile, c, digit.fan_out());
  }
  /// Notes how many records of the tile have digit value `c`.
  KOKKOS_FORCEINLINE_FUNCTION void note(const Tile& tile, std::uint32_t c,
                                        std::uint32_t count) const {
    matrix[tile.cell(c, digit.fan_out())] = count;
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
      level.note(tile, c, counts[c]);
    }
  }
};

/// What a team does with a tile whose records it brings into the order of their groups in scratch:
/// it lays the groups side by side, and flushes each as one coalesced run.
template <class Teams, class Level>
struct TileStage {
  using Member = typename Teams::Member;
  using Exec = typename Teams::execution_space;
  using Offset = typename Level::offset_type;
  using Record = typename Level::record_type;
  using Scan = backends::TeamScan<Exec, Member, std::uint32_t, Teams::threads>;
  static constexpr std::uint32_t size = Teams::threads;
  /// Bytes of scratch for the scan and for alignment.
  static constexpr std::size_t slack_bytes = Scan::scratch_bytes + 64;

  const Level& level;
  const Member& team;
  Record* records;           // the stage
  Offset* base;              // of each group: first its place in the output
  std::uint32_t begin, end;  // the groups that this thread prepares

  /// Takes scratch for a stage of `tile_records` records.
  KOKKOS_FORCEINLINE_FUNCTION TileStage(const Level& l, const Member& t, std::uint32_t tile_records)
      : level(l), team(t) {
    const std::uint32_t fan_out = level.digit.fan_out();
    records = static_cast<Record*>(
        team.team_shmem().get_shmem_aligned(tile_records * sizeof(Record), 16));
    base = static_cast<Offset*>(team.team_shmem().get_shmem_aligned(fan_out * sizeof(Offset), 16));
    const std::uint32_t chunk = (fan_out + size - 1) / size;
    begin = static_cast<std::uint32_t>(team.team_rank()) * chunk;
    end = begin + chunk < fan_out ? begin + chunk : fan_out;
  }

  /// Lays the groups side by side in the stage. base[c] becomes what a staged position of group c
  /// lacks to its final position.
  template <class Groups>
  KOKKOS_FORCEINLINE_FUNCTION void begin_groups(const Groups& groups) const {
    std::uint32_t sum = 0;
    for (std::uint32_t c = begin; c < end; ++c) sum += groups.count(c);
    std::uint32_t start = Scan(team).exclusive_sum(sum);
    for (std::uint32_t c = begin; c < end; ++c) {
      base[c] -= static_cast<Offset>(start);
      start = groups.begin_group(c, start);
    }
  }

  /// `digit_of(j, record)`: the digit of staged record j.
  template <class DigitOf>
  KOKKOS_FORCEINLINE_FUNCTION void flush(const Tile& tile, const DigitOf& digit_of) const {
    const auto count = static_cast<std::uint32_t>(tile.count);
    if constexpr (flushes_words) {
      flush_words(count, digit_of);
    } else {
      HASHMILL_UNROLL(4)
      for (std::uint32_t j = team.team_rank(); j < count; j += size) {
        const Record record = records[j];
        level.sink(static_cast<Offset>(base[digit_of(j, record)] + j), record);
      }
    }
  }

 private:
  using Sink = std::decay_t<decltype(std::declval<const Level&>().sink)>;
  /// Whether records are flushed word by word, each lane the next one. Records of more than one
  /// access would be written by as many, each with gaps.
  static constexpr bool flushes_words = std::is_same_v<Sink, RecordSink<Record>> &&
                                        !std::has_single_bit(sizeof(Record)) &&
                                        sizeof(Record) % sizeof(std::uint32_t) == 0;

  template <class DigitOf>
  KOKKOS_FORCEINLINE_FUNCTION void flush_words(std::uint32_t count, const DigitOf& digit_of) const {
    constexpr auto words = static_cast<std::uint32_t>(sizeof(Record) / sizeof(std::uint32_t));
    const auto* const staged = reinterpret_cast<const std::uint32_t*>(records);
    auto* const out = reinterpret_cast<std::uint32_t*>(level.sink.records);
    HASHMILL_UNROLL(4)
    for (std::uint32_t w = team.team_rank(); w < count * words; w += size) {
      const std::uint32_t j = w / words;
      const auto place = static_cast<Offset>(base[digit_of(j, records[j])] + j);
      out[std::uint64_t{place} * words + w % words] = staged[w];
    }
  }
};

/// Team engine, second half of a stable level: stages a tile in scratch, grouped by digit value.
/// Then it flushes every group as one coalesced run.
///
/// Per record: one read, votes, one scratch write and read, and one global write. Global writes
/// come in runs of tile / fan-out records. They are the limit: on an H200, a pass to 256 parts
/// takes as long where finding a digit is one shift.
template <class Exec, class Level>
struct ScatterTileStable {
  using Teams = PlainTeams<Exec>;
  using Member = typename Teams::Member;
  using Record = typename Level::record_type;
  using Stage = TileStage<Teams, Level>;
  static constexpr int items = stable_items<Record>;
  using Sort = StableTileSort<Exec, Record, items>;
  static constexpr std::uint32_t tile_records = static_cast<std::uint32_t>(Teams::threads * items);
  Level level;

  /// Bytes of scratch that a tile takes, without what its groups take.
  [[nodiscard]] static constexpr std::size_t stage_bytes(std::uint32_t records) {
    return records * sizeof(Record) + Stage::slack_bytes;
  }
  /// Bytes of scratch per group: its place, and the counters of the sort.
  static constexpr std::size_t group_bytes = sizeof(std::uint64_t) + Sort::bytes_per_part;

  /// Bytes of scratch that a team may have.
  [[nodiscard]] static std::size_t scratch_limit(const Exec&) {
    return backends::team_shape<Exec>().scratch_bytes;
  }
  [[nodiscard]] static constexpr std::uint32_t records_of_tile(const Exec&) { return tile_records; }
  [[nodiscard]] static std::size_t scratch_bytes(std::uint32_t fan_out) {
    return stage_bytes(tile_records) + fan_out * group_bytes;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Tile tile = level.tiles.locate(team.league_rank());
    if (tile.count == 0) return;
    const Stage stage(level, team, tile_records);
    Sort sort(team, tile, level.source, level.digit.fan_out());
    for (std::uint32_t c = stage.begin; c < stage.end; ++c) stage.base[c] = level.place(tile, c);
    sort.rank(level.digit);
    team.team_barrier();
    stage.begin_groups(sort);
    team.team_barrier();
    sort.stage(stage.records);
    team.team_barrier();
    stage.flush(tile, [&](std::uint32_t, const Record& record) { return level.digit(record); });
  }
};

}  // namespace hashmill::detail
