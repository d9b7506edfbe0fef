#pragma once

#include <hashmill/backends/block_loop.hpp>
#include <hashmill/partition/detail/combining_buffers.hpp>
#include <hashmill/partition/detail/team.hpp>

namespace hashmill::detail {

/// Records that host loops process together, so that hashing them vectorises.
inline constexpr std::uint32_t host_batch = 128;

/// Reads records [begin, begin + count) of a source and their digits, in loops that compilers can
/// vectorise. Sources whose records lie in memory in order have `prefetch(begin, count)`, which
/// prefetches what a loop at these records will read some batches later.
template <class Source, class DigitOf>
struct HostBatch {
  using Record = typename Source::record_type;
  alignas(64) Record records[host_batch];
  alignas(64) std::uint32_t digits[host_batch];

  void load(const Source& source, const DigitOf& digit, std::uint64_t begin, std::uint32_t count) {
    if constexpr (requires { source.prefetch(begin, count); }) source.prefetch(begin, count);
    for (std::uint32_t j = 0; j < count; ++j) records[j] = source(begin + j);
    for (std::uint32_t j = 0; j < count; ++j) digits[j] = digit(records[j]);
  }

  /// Calls `use(batch, count)` for the consecutive batches of a tile. `use` is passed by value. The
  /// compiler then knows that the writes of `use` do not change its own members, and does not
  /// reload them.
  template <class Use>
  static void for_each(const Source& source, const DigitOf& digit, const Tile& tile,
                       const Use use) {
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

/// Host engine, second half: each thread writes large tiles to their parts through write-combining
/// buffers, past the caches when the output is larger than the caches. Stable.
///
/// Where a thread continues with the tile after its last one, each part continues where that tile
/// left it, and the buffers keep their contents. With more threads, tiles are smaller, and more of
/// their cache lines would be shared with other tiles. That took a twentieth of the time of 16
/// threads.
template <class Level, class Record, class Offset, class Source>
struct ScatterTilesHost {
  using Buffers = CombiningBuffers<Record, Offset, decltype(Level::sink)>;
  using Batch = HostBatch<Source, decltype(Level::digit)>;
  Level level;
  bool stream;
  backends::BlockShares tiles;

  [[nodiscard]] static std::size_t scratch_bytes(std::uint32_t fan_out) {
    return Buffers::bytes(fan_out);
  }

  void operator()(std::uint64_t thread, std::byte* scratch) const {
    const std::uint32_t fan_out = level.digit.fan_out();
    const Buffers buffers(scratch, fan_out, level.sink, stream);
    std::int64_t behind = -1;  // the tile whose places the buffers have reached
    tiles.run(thread, [&](std::int64_t t) {
      const Tile tile = level.tiles.locate(static_cast<std::uint64_t>(t));
      if (tile.count == 0) return;
      if (t != behind || tile.index == 0) {
        if (behind >= 0) buffers.finish();
        for (std::uint32_t c = 0; c < fan_out; ++c) buffers.begin_part(c, level.place(tile, c));
      }
      behind = t + 1;
      // By value, as in HostBatch::for_each.
      Batch::for_each(level.source, level.digit, tile, [=](const Batch& batch, std::uint32_t n) {
        for (std::uint32_t j = 0; j < n; ++j) buffers.put(batch.digits[j], batch.records[j]);
      });
    });
    if (behind >= 0) buffers.finish();
  }
};

}  // namespace hashmill::detail
