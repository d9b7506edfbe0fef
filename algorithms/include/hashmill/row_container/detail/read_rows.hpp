#pragma once

#include <hashmill/backends/unroll.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/row.hpp>
#include <hashmill/row_container/detail/tiles.hpp>
#include <hashmill/row_key.hpp>

namespace hashmill::detail {

/// Whether a source of row numbers is known to give consecutive ones.
template <class Rows>
inline constexpr bool are_consecutive = std::is_same_v<Rows, RowsFrom<>>;

/// The row numbers of a list, widened to 64 bits.
template <class Row, class List>
struct WideListedRows {
  List rows;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    const Row row = rows(i);
    return row == no_row<Row> ? no_row<std::uint64_t> : std::uint64_t{row};
  }
};

/// The output for a column read from rows: its values and, unless `valid_bits` is null, a bitmap in
/// which bit i tells whether value i is not null.
template <unsigned C, class Out>
struct ColumnOut {
  static constexpr unsigned column = C;
  Out values;
  std::uint8_t* valid_bits;
};

/// Writes columns of listed or consecutive rows, one thread per row. On GPUs consecutive rows are
/// first copied to scratch, by reads in which adjacent threads access adjacent memory. The null
/// bits of a tile are collected in scratch. Threads then combine those of 8 rows into a byte of
/// each bitmap.
template <class Exec, bool Wide, class Ref, class Rows, class Outs>
struct ReadRows {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Layout = typename Ref::layout_type;
  using Tile = RowTile<Layout, Wide>;
  static constexpr bool staged = Wide && are_consecutive<Rows>;
  static constexpr std::uint64_t lead = 16;  // how many rows of a list ahead hosts prefetch
  Ref ref;
  Rows rows;
  std::uint64_t num_rows;
  Outs outs;
  bool any_bits;

  static constexpr std::size_t scratch_bytes =
      (staged ? Tile::bytes : 0) + Tile::rows * sizeof(std::uint32_t) + 32;
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const TileRows<Tile> tile(static_cast<std::uint64_t>(team.league_rank()), num_rows);
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const auto threads = static_cast<std::uint32_t>(team.team_size());
    constexpr int level = Wide ? 0 : 1;
    const auto& scratch = team.team_scratch(level);
    std::byte* stage = nullptr;
    if constexpr (staged) {
      constexpr std::size_t bytes = Tile::bytes;
      stage = static_cast<std::byte*>(scratch.get_shmem_aligned(bytes, 16));
      move_staged_rows<Layout, Tile, false>(team, stage, ref.row_address(rows(tile.begin)),
                                            tile.count);
      team.team_barrier();
    }
    auto* const nulls = static_cast<std::uint32_t*>(
        scratch.get_shmem_aligned(Tile::rows * sizeof(std::uint32_t), 16));
    for (std::uint32_t r = rank; r < tile.count; r += threads) {
      nulls[r] = read(stage, r, tile.begin + r);
    }
    if (!any_bits) return;
    team.team_barrier();
    for (std::uint32_t b = rank; b < (tile.count + 7) / 8; b += threads) {
      write_bits(outs, nulls + std::size_t{8} * b, tile.count - 8 * b, tile.begin / 8 + b);
    }
  }

 private:
  /// Writes the values of item i; returns the null bits of its row.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t read(const std::byte* stage, std::uint32_t r,
                                                 std::uint64_t i) const {
    constexpr std::uint32_t all_null = ~std::uint32_t{0};
    if constexpr (staged) {
      const std::byte* const row = stage + r * Tile::stride;
      write_values(outs, row, i);
      return *reinterpret_cast<const std::uint32_t*>(row + Layout::nulls_offset);
    } else {
      if constexpr (!Wide && !are_consecutive<Rows>) {
        KOKKOS_IF_ON_HOST((if (i + lead < num_rows) {
          const std::uint64_t ahead = rows(i + lead);
          if (ahead != no_row<std::uint64_t>) backends::prefetch(ref.row_address(ahead));
        }))
      }
      const std::uint64_t row = rows(i);
      if (row == no_row<std::uint64_t>) {
        write_none(outs, i);
        return all_null;
      }
      write_values(outs, ref.row_address(row), i);
      return ref.nulls(row);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void write_values(const ValueList<>&, const std::byte*,
                                                std::uint64_t) const {}
  template <class First, class... Rest>
  KOKKOS_FORCEINLINE_FUNCTION void write_values(const ValueList<First, Rest...>& to,
                                                const std::byte* row, std::uint64_t i) const {
    to.first.values(i) = ref.template value_in<First::column>(row);
    write_values(to.rest, row, i);
  }
  KOKKOS_FORCEINLINE_FUNCTION void write_none(const ValueList<>&, std::uint64_t) const {}
  template <class First, class... Rest>
  KOKKOS_FORCEINLINE_FUNCTION void write_none(const ValueList<First, Rest...>& to,
                                              std::uint64_t i) const {
    to.first.values(i) = typename Ref::template value_type<First::column>{};
    write_none(to.rest, i);
  }
  KOKKOS_FORCEINLINE_FUNCTION void write_bits(const ValueList<>&, const std::uint32_t*,
                                              std::uint32_t, std::uint64_t) const {}
  template <class First, class... Rest>
  KOKKOS_FORCEINLINE_FUNCTION void write_bits(const ValueList<First, Rest...>& to,
                                              const std::uint32_t* nulls, std::uint32_t left,
                                              std::uint64_t byte) const {
    if (to.first.valid_bits != nullptr) {
      unsigned bits = 0;
      if (left >= 8) {
        backends::unrolled<8>([&](unsigned k) { bits |= (~nulls[k] >> First::column & 1U) << k; });
      } else {
        for (unsigned k = 0; k < left; ++k) bits |= (~nulls[k] >> First::column & 1U) << k;
      }
      to.first.valid_bits[byte] = static_cast<std::uint8_t>(bits);
    }
    write_bits(to.rest, nulls, left, byte);
  }
};

/// Reads `num_rows` rows into columns. Asynchronous.
template <bool Wide, class Exec, class Ref, class Rows, class Outs>
void read_rows(const Exec& exec, const Ref& ref, const Rows& rows, std::uint64_t num_rows,
               const Outs& outs, bool any_bits) {
  using Kernel = ReadRows<Exec, Wide, Ref, Rows, Outs>;
  const std::uint64_t tiles = Kernel::Tile::tiles(num_rows);
  if (tiles == 0) return;
  launch_tiles<Wide, Kokkos::TeamPolicy<Exec>>("hashmill::row_container::read_rows", exec, tiles,
                                               Kernel::scratch_bytes,
                                               Kernel{ref, rows, num_rows, outs, any_bits});
}

}  // namespace hashmill::detail
