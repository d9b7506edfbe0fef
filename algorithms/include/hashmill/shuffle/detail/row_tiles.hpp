#pragma once

#include <array>
#include <bit>
#include <hashmill/backends/scan.hpp>
#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/partition/detail/levels.hpp>
#include <hashmill/shuffle/detail/part_number.hpp>
#include <hashmill/shuffle/detail/row_places.hpp>

namespace hashmill::detail {

/// Rows in tiles, of a device whose teams bring the tiles of a column into the order of their
/// parts. A tile's rows of a part lie side by side then, as do those of several tiles.
template <class Exec>
struct RowTiles {
  static constexpr std::uint64_t tile_rows = std::uint64_t{4} * backends::team_threads<Exec>;
  /// The most bytes of a record of a part and a value of which a team takes whole tiles.
  static constexpr std::size_t most_bytes = 32;

  const PartNumber* part_of = nullptr;
  const std::uint64_t* places = nullptr;  // of the first row of part c and tile t: c * tiles + t
  std::uint64_t rows = 0, tiles = 0;
  unsigned bits = 0;  // of part numbers
};

/// Finds the part of each row of a tile, and counts the rows of each part.
template <class Exec, class PartOf>
struct FindParts {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::uint64_t tile_rows = RowTiles<Exec>::tile_rows;
  PartWriter<PartOf> writer;
  std::uint64_t rows, tiles;
  std::uint32_t fan_out;
  std::uint64_t* counts;  // of part c and tile t: element c * tiles + t

  [[nodiscard]] static std::size_t scratch_bytes(std::uint32_t fan_out) {
    return fan_out * sizeof(std::uint32_t) + 16;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    constexpr int batch = tile_rows / size;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const auto tile = static_cast<std::uint64_t>(team.league_rank());
    auto* mine = static_cast<std::uint32_t*>(
        team.team_shmem().get_shmem_aligned(fan_out * sizeof(std::uint32_t), 16));
    for (std::uint32_t c = rank; c < fan_out; c += size) mine[c] = 0;
    team.team_barrier();
    const std::uint64_t first = tile * tile_rows + rank;
    const auto row = [&](int k) { return first + static_cast<std::uint64_t>(k) * size; };
    std::uint64_t found[batch];  // all are found before one is written, so that all are in flight
    HASHMILL_UNROLL(4)
    for (int k = 0; k < batch; ++k) {
      if (row(k) < rows) found[k] = writer.find(row(k));
    }
    HASHMILL_UNROLL(4)
    for (int k = 0; k < batch; ++k) {
      if (row(k) >= rows) continue;
      backends::team_fetch_add<Exec>(&mine[writer.write(row(k), found[k])], std::uint32_t{1});
    }
    team.team_barrier();
    for (std::uint32_t c = rank; c < fan_out; c += size) counts[c * tiles + tile] = mine[c];
  }
};

/// Copies where each part begins, and the end.
struct CopyBegins {
  const std::uint64_t* places;
  std::uint64_t tiles, rows, parts;
  std::uint64_t* begins;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto part = static_cast<std::uint64_t>(index);
    begins[part] = part < parts ? places[part * tiles] : rows;
  }
};

/// Whether rows of so many parts are brought into order by tiles. Beyond that a place is found for
/// each row.
template <class Exec>
[[nodiscard]] bool orders_by_tiles(const Exec& exec, std::uint64_t parts) {
  using Longest = std::array<std::uint64_t, RowTiles<Exec>::most_bytes / sizeof(std::uint64_t)>;
  return static_cast<unsigned>(std::bit_width(parts - 1)) <=
         max_level_bits<Exec, Longest, true, true>(exec);
}

/// What a level of a partition is to its teams, for one column of rows in tiles.
template <class Exec, class Source, class Sink>
struct TileOrder {
  using record_type = typename Source::record_type;
  using offset_type = std::uint64_t;
  static constexpr std::uint64_t team_rows =
      std::uint64_t{backends::team_threads<Exec>} * stable_items<record_type>;
  static_assert(team_rows % RowTiles<Exec>::tile_rows == 0, "a team takes whole tiles");

  struct Teams {
    std::uint64_t rows;
    [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Tile locate(std::uint64_t team) const {
      Tile tile{};
      tile.begin = team * team_rows;
      tile.count = rows - tile.begin < team_rows ? rows - tile.begin : team_rows;
      tile.index = team * (team_rows / RowTiles<Exec>::tile_rows);
      return tile;
    }
  };
  struct PartOfRecord {
    KOKKOS_FORCEINLINE_FUNCTION PartNumber operator()(const record_type& record) const {
      return first_of(record);
    }
  };

  RowTiles<Exec> rows;
  Source source;
  Sink sink;
  Teams tiles{rows.rows};
  Digit<PartOfRecord> digit{{}, 0, rows.bits};

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t place(const Tile& tile,
                                                                std::uint32_t c) const {
    return rows.places[c * rows.tiles + tile.index];
  }
};

/// A column, as partitions read it.
template <class Column, class Value>
struct ColumnValues {
  using value_type = Value;
  Column column;
  KOKKOS_FORCEINLINE_FUNCTION Value operator()(std::uint64_t i) const { return column(i); }
};
/// Writes values to the first `size` places.
template <class Value>
struct ValueSink {
  std::uint64_t size;
  Value* to;
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Record& record) const {
    if (i < size) to[i] = second_of(record);
  }
};

/// Brings a column into order. `sink(i, record)` takes the record of a part and a value that comes
/// to place i. Asynchronous. Reads a value and 2 bytes per row, and writes the value in runs.
template <class Exec, class Column, class Sink>
void put_tiles(const char* label, const Exec& exec, const RowTiles<Exec>& rows,
               const Column& column, const Sink& sink) {
  using Parts = KeyPointer<PartNumber, false>;
  using Source = ColumnSource<Parts, Column>;
  using Order = TileOrder<Exec, Source, Sink>;
  using Kernel = ScatterTileStable<Exec, Order>;
  if (rows.rows == 0) return;
  const Order order{rows, Source{Parts{rows.part_of, rows.rows, 1}, column}, sink};
  launch_tiles<true, backends::RegisterBoundTeamPolicy<Exec>>(
      label, exec, (rows.rows + Order::team_rows - 1) / Order::team_rows,
      Kernel::scratch_bytes(order.digit.fan_out()), Kernel{order});
}

}  // namespace hashmill::detail
