#pragma once

#include <hashmill/row_container/detail/tiles.hpp>
#include <hashmill/row_key.hpp>
#include <hashmill/row_layout.hpp>

namespace hashmill::detail {

/// What rows take from a column of values.
template <class Column>
struct ValueField {
  Column column;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    return column.is_null(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION typename Column::value_type operator()(std::uint64_t i) const {
    return column(i);
  }
};

/// What rows take from a column of strings, whose bytes are already placed.
template <class Column>
struct StringField {
  Column column;
  const std::uint64_t* offsets;  // of the strings, one more than there are
  std::uint64_t first_byte;      // where the first of them lies
  std::uint64_t bytes;           // of all of them
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    return column.is_null(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION StoredString operator()(std::uint64_t i) const {
    return {first_byte + offsets[i], offsets[i + 1] - offsets[i]};
  }
};

/// Writes rows to any address with their alignment.
template <class Layout, class Fields>
struct RowWriter {
  Fields fields;

  KOKKOS_FORCEINLINE_FUNCTION void write(std::byte* row, std::uint64_t i) const {
    std::uint32_t nulls = 0;
    write_fields<0>(row, i, fields, nulls);
    *reinterpret_cast<std::uint32_t*>(row + Layout::nulls_offset) = nulls;
    for (std::size_t b = Layout::used_bytes; b < Layout::row_bytes; ++b) row[b] = std::byte{0};
  }

 private:
  template <unsigned C>
  KOKKOS_FORCEINLINE_FUNCTION void write_fields(std::byte*, std::uint64_t, const ValueList<>&,
                                                std::uint32_t&) const {}
  template <unsigned C, class First, class... Rest>
  KOKKOS_FORCEINLINE_FUNCTION void write_fields(std::byte* row, std::uint64_t i,
                                                const ValueList<First, Rest...>& from,
                                                std::uint32_t& nulls) const {
    using Stored = typename Layout::template Stored<C>;
    Stored value{};
    if (from.first.is_null(i)) {
      nulls |= std::uint32_t{1} << C;
    } else {
      value = from.first(i);
    }
    *reinterpret_cast<Stored*>(row + Layout::template offset<C>) = value;
    write_fields<C + 1>(row, i, from.rest, nulls);
  }
};

/// GPUs: each thread of a team writes rows into scratch, where adjacent threads read adjacent
/// values of every column. Then the team copies the staged rows, which are consecutive, to memory.
template <class Exec, class Layout, class Fields>
struct WriteRowsTeam {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Tile = RowTile<Layout, true>;
  RowWriter<Layout, Fields> writer;
  std::byte* rows;
  std::uint64_t num_rows;

  static constexpr std::size_t scratch_bytes = Tile::bytes + 16;
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const TileRows<Tile> tile(static_cast<std::uint64_t>(team.league_rank()), num_rows);
    constexpr std::size_t bytes = Tile::bytes;
    auto* const stage = static_cast<std::byte*>(team.team_scratch(0).get_shmem_aligned(bytes, 16));
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const auto threads = static_cast<std::uint32_t>(team.team_size());
    for (std::uint32_t r = rank; r < tile.count; r += threads) {
      writer.write(stage + r * Tile::stride, tile.begin + r);
    }
    team.team_barrier();
    move_staged_rows<Layout, Tile, true>(team, stage, rows + tile.begin * Layout::row_bytes,
                                         tile.count);
  }
};

/// Hosts: a thread writes rows straight to memory if they fit the caches. Otherwise it writes them
/// into a piece of its own cache, and from there whole cache lines past the caches. Memory that is
/// written through the caches is first read.
template <class Exec, class Layout, class Fields>
struct WriteRowsHost {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Tile = RowTile<Layout, false>;
  static constexpr std::size_t line = backends::cache_line_bytes;
  RowWriter<Layout, Fields> writer;
  std::byte* rows;
  std::uint64_t num_rows;
  bool stream;

  static constexpr std::size_t scratch_bytes = Tile::bytes + 3 * line;
  void operator()(const Member& team) const {
    const TileRows<Tile> tile(static_cast<std::uint64_t>(team.league_rank()), num_rows);
    std::byte* const to = rows + tile.begin * Layout::row_bytes;
    if (!stream) {
      write(to, tile);
      return;
    }
    auto* const scratch =
        static_cast<std::byte*>(team.team_scratch(1).get_shmem_aligned(Tile::bytes + line, line));
    std::byte* const stage = scratch + reinterpret_cast<std::uintptr_t>(to) % line;
    write(stage, tile);
    stream_bytes(to, stage, tile.count * Layout::row_bytes);
    backends::streaming_fence();
  }

 private:
  void write(std::byte* to, const TileRows<Tile>& tile) const {
    for (std::uint32_t r = 0; r < tile.count; ++r) {
      writer.write(to + r * Layout::row_bytes, tile.begin + r);
    }
  }
};

/// Writes `num_rows` rows from `rows` on. Asynchronous. Reads every value once and writes every
/// byte of the rows once.
template <class Layout, bool Wide, class Exec, class Fields>
void write_rows(const Exec& exec, const Fields& fields, std::byte* rows, std::uint64_t num_rows) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  constexpr const char* label = "hashmill::row_container::write_rows";
  const std::uint64_t tiles = RowTile<Layout, Wide>::tiles(num_rows);
  if (tiles == 0) return;
  if constexpr (Wide) {
    using Kernel = WriteRowsTeam<Exec, Layout, Fields>;
    launch_tiles<true, Policy>(label, exec, tiles, Kernel::scratch_bytes,
                               Kernel{{fields}, rows, num_rows});
  } else {
    using Kernel = WriteRowsHost<Exec, Layout, Fields>;
    const bool stream = backends::outgrows_caches(num_rows * Layout::row_bytes);
    launch_tiles<false, Policy>(label, exec, tiles, Kernel::scratch_bytes,
                                Kernel{{fields}, rows, num_rows, stream});
  }
}

}  // namespace hashmill::detail
