#pragma once

#include <hashmill/backends/streaming.hpp>
#include <hashmill/detail/partition_team.hpp>

namespace hashmill::detail {

/// Records that host loops handle together, so that hashing them vectorises.
inline constexpr std::uint32_t host_batch = 128;

/// Reads records [begin, begin + count) of a source and their digits, in loops a compiler can
/// vectorise.
template <class Source, class DigitOf>
struct HostBatch {
  using Record = typename Source::record_type;
  alignas(64) Record records[host_batch];
  alignas(64) std::uint32_t digits[host_batch];

  void load(const Source& source, const DigitOf& digit, std::uint64_t begin, std::uint32_t count) {
    for (std::uint32_t j = 0; j < count; ++j) records[j] = source(begin + j);
    for (std::uint32_t j = 0; j < count; ++j) digits[j] = digit(records[j]);
  }

  /// Calls `use(batch, count)` for the consecutive batches of a tile.
  template <class Use>
  static void for_each(const Source& source, const DigitOf& digit, const Tile& tile,
                       const Use& use) {
    HostBatch batch;
    for (std::uint64_t done = 0; done < tile.count; done += host_batch) {
      const std::uint64_t left = tile.count - done;
      const auto count = static_cast<std::uint32_t>(left < host_batch ? left : host_batch);
      batch.load(source, digit, tile.begin + done, count);
      use(batch, count);
    }
  }
};

/// Host engine, first half: one thread counts a large tile by digit value in its cache.
template <class Exec, class Level, class Source>
struct CountTileHost {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Level level;

  [[nodiscard]] static std::size_t scratch_bytes(std::uint32_t fan_out) {
    return fan_out * sizeof(std::uint64_t) + 64;
  }

  void operator()(const Member& team) const {
    const Tile tile = level.tiles.locate(static_cast<std::uint64_t>(team.league_rank()));
    if (tile.count == 0) return;
    const std::uint32_t fan_out = level.digit.fan_out();
    auto* counts = static_cast<std::uint64_t*>(
        team.team_scratch(1).get_shmem_aligned(fan_out * sizeof(std::uint64_t), 64));
    for (std::uint32_t c = 0; c < fan_out; ++c) counts[c] = 0;
    using Batch = HostBatch<Source, decltype(level.digit)>;
    Batch::for_each(level.source, level.digit, tile, [&](const Batch& batch, std::uint32_t n) {
      for (std::uint32_t j = 0; j < n; ++j) ++counts[batch.digits[j]];
    });
    for (std::uint32_t c = 0; c < fan_out; ++c) {
      using Cell = std::remove_pointer_t<decltype(level.matrix)>;
      level.matrix[tile.cell(c, fan_out)] = static_cast<Cell>(counts[c]);
    }
  }
};

/// Host engine, second half: software write combining (Balkesen et al., "Main-memory hash joins on
/// multi-core CPUs", ICDE 2013, section 4.2). Each part has one cache line of buffer; a full line
/// goes out at once, past the caches when the output is larger than they are. It goes when the next
/// record of its part comes, not when it becomes full: reading a line at once just after its last
/// record was stored waits for that store, and so for all streaming stores before it. Stable.
template <class Exec, class Level, class Record, class Offset, class Source>
struct ScatterTileHost {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::uint32_t line_records =
      backends::cache_line_bytes % sizeof(Record) == 0
          ? static_cast<std::uint32_t>(backends::cache_line_bytes / sizeof(Record))
          : 4;
  static constexpr bool whole_lines = line_records * sizeof(Record) == backends::cache_line_bytes;
  Level level;
  bool stream;

  [[nodiscard]] static std::size_t scratch_bytes(std::uint32_t fan_out) {
    return fan_out * (line_records * sizeof(Record) + 2 * sizeof(Offset)) + 192;
  }

  void operator()(const Member& team) const {
    const Tile tile = level.tiles.locate(static_cast<std::uint64_t>(team.league_rank()));
    if (tile.count == 0) return;
    const std::uint32_t fan_out = level.digit.fan_out();
    const auto& scratch = team.team_scratch(1);
    auto* lines = static_cast<Record*>(
        scratch.get_shmem_aligned(fan_out * line_records * sizeof(Record), 64));
    auto* next = static_cast<Offset*>(scratch.get_shmem_aligned(fan_out * sizeof(Offset), 64));
    auto* kept = static_cast<Offset*>(scratch.get_shmem_aligned(fan_out * sizeof(Offset), 64));
    for (std::uint32_t c = 0; c < fan_out; ++c) kept[c] = next[c] = level.place(tile, c);
    using Batch = HostBatch<Source, decltype(level.digit)>;
    const auto scatter = [=, this](const Batch& batch, std::uint32_t n) {
      for (std::uint32_t j = 0; j < n; ++j) {
        const std::uint32_t c = batch.digits[j];
        const Offset position = next[c]++;
        Record* line = lines + std::size_t{c} * line_records;
        if (position % line_records == 0) flush(line, kept[c], position);
        line[position % line_records] = batch.records[j];
      }
    };
    Batch::for_each(level.source, level.digit, tile, scatter);
    for (std::uint32_t c = 0; c < fan_out; ++c) {
      flush(lines + std::size_t{c} * line_records, kept[c], next[c]);
    }
    if (stream) backends::streaming_fence();
  }

 private:
  /// Writes the buffered positions [kept, end) and moves `kept` to `end`.
  void flush(const Record* line, Offset& kept, Offset end) const {
    if constexpr (whole_lines && requires { level.sink.address(0); }) {
      if (stream && end - kept == line_records && end % line_records == 0) {
        backends::stream_line(level.sink.address(kept), line);
        kept = end;
        return;
      }
    }
    for (; kept < end; ++kept) level.sink(kept, line[kept % line_records]);
  }
};

}  // namespace hashmill::detail
