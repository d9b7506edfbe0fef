#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/primitives/detail/records.hpp>

namespace hashmill::detail {

/// A run of consecutive records of one piece of a parent part, processed by one team.
struct Tile {
  std::uint64_t begin;
  std::uint64_t count;
  std::uint64_t parent;
  std::uint64_t index;         // among the parent's tiles
  std::uint64_t parent_tiles;  // how many tiles the parent has
  std::uint64_t first;         // number of tiles before the parent's

  /// The place of this tile's count of digit value `c` in the level's matrix of counts. The matrix
  /// is ordered by value first and tile second. One exclusive scan of it therefore yields every
  /// tile's place in every part, in tile order: no atomics, and the same result in every run.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t cell(std::uint32_t c,
                                                               std::uint32_t fan_out) const {
    return first * fan_out + c * parent_tiles + index;
  }
};

/// Reads every `Stride`-th record of a tile from `first` on into registers. All reads are in flight
/// at once: nothing is written in between that could be what is read. Positions are one 64-bit
/// number plus constants. Where each is widened by itself, hash_join_size of 8-byte keys takes 7 %
/// longer (H200).
template <unsigned Stride, class Source, class Record, int Count>
KOKKOS_FORCEINLINE_FUNCTION void read_records(const Source& source, const Tile& tile,
                                              std::uint32_t first, Record (&held)[Count]) {
  HASHMILL_UNROLL(16)
  for (int k = 0; k < Count; ++k) {
    if (first + k * Stride < static_cast<std::uint32_t>(tile.count)) {
      held[k] = source(tile.begin + first + static_cast<std::uint64_t>(k) * Stride);
    }
  }
}

/// Calls `use(record)` for every `Stride`-th record of a tile from `first` on. `Batch` of them are
/// read before the first is used: what `use` writes must not hold up later reads.
template <unsigned Stride, int Batch, class Source, class Use>
KOKKOS_FORCEINLINE_FUNCTION void for_each_record(const Source& source, const Tile& tile,
                                                 std::uint32_t first, const Use& use) {
  const auto records = static_cast<std::uint32_t>(tile.count);
  HASHMILL_UNROLL(1)
  for (std::uint32_t done = first; done < records; done += Batch * Stride) {
    typename Source::record_type held[Batch];
    read_records<Stride>(source, tile, done, held);
    HASHMILL_UNROLL(8)
    for (int k = 0; k < Batch; ++k) {
      if (done + k * Stride < records) use(held[k]);
    }
  }
}

/// Cuts the pieces of parent parts into tiles that never straddle two of them.
template <class Offset>
struct TileMap {
  Ranges<Offset> parents;
  const Offset* first_tile;  // exclusive prefix sum of the tiles of each piece, and their total
  std::uint64_t tile_records;

  /// Tile `t`, or an empty tile when `t` is past the last. The launch uses an upper bound on the
  /// number of tiles, since asking for the number would stop the host.
  [[nodiscard]] KOKKOS_FUNCTION Tile locate(std::uint64_t t) const {
    const std::uint64_t each = parents.pieces.each;
    if (t >= first_tile[parents.num_pieces()]) return {};
    std::uint64_t low = 0, high = parents.num_pieces();
    while (high - low > 1) {  // invariant: first_tile[low] <= t < first_tile[high]
      const std::uint64_t middle = (low + high) / 2;
      (first_tile[middle] <= t ? low : high) = middle;
    }
    Tile tile = tiles_of(each == 1 ? low : low / each);
    tile.index = t - tile.first;
    const std::uint64_t done = (t - first_tile[low]) * tile_records;
    const std::uint64_t left = parents.piece_size(low) - done;
    tile.begin = parents.piece_begin(low) + done;
    tile.count = left < tile_records ? left : tile_records;
    return tile;
  }
  /// What all tiles of a parent have in common.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Tile tiles_of(std::uint64_t parent) const {
    const std::uint64_t each = parents.pieces.each;
    Tile tile{};
    tile.parent = parent;
    tile.first = first_tile[parent * each];
    tile.parent_tiles = first_tile[(parent + 1) * each] - tile.first;
    return tile;
  }
  /// The position at which `tile` writes its first record with digit value `c`. `matrix` holds the
  /// counts of all tiles, already scanned.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Offset place(const Offset* matrix, const Tile& tile,
                                                         std::uint32_t c,
                                                         std::uint32_t fan_out) const {
    return parents.begin(tile.parent) + matrix[tile.cell(c, fan_out)] -
           matrix[tile.first * fan_out];
  }
};

/// The most tiles that `records` records in `pieces` pieces can need.
[[nodiscard]] inline std::uint64_t tile_bound(std::uint64_t records, std::uint64_t pieces,
                                              std::uint64_t tile_records) {
  return records / tile_records + pieces;
}

/// Writes the number of tiles of a piece; 0 after the last.
template <class Offset>
struct CountTiles {
  Ranges<Offset> parents;
  std::uint64_t tile_records;
  Offset* tiles;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const auto p = static_cast<std::uint64_t>(i);
    const Offset records = p < parents.num_pieces() ? parents.piece_size(p) : 0;
    tiles[p] = static_cast<Offset>((records + tile_records - 1) / tile_records);
  }
};

/// Fills a TileMap's `first_tile` (parents.num_pieces() + 1 elements of `storage`) on `exec`.
template <class Exec, class Offset, class MemorySpace>
TileMap<Offset> make_tile_map(
    const Exec& exec, const Ranges<Offset>& parents, std::uint64_t tile_records,
    const typename Workspace<MemorySpace>::template Array<Offset>& storage,
    Workspace<MemorySpace>& workspace) {
  backends::for_each_index("hashmill::partition::tiles", exec, parents.num_pieces() + 1,
                           CountTiles<Offset>{parents, tile_records, storage.data()});
  backends::exclusive_scan(exec, storage, workspace);
  return {parents, storage.data(), tile_records};
}

}  // namespace hashmill::detail
