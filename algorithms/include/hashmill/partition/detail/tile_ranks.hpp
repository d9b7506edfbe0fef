#pragma once

#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/partition/detail/tiles.hpp>

namespace hashmill::detail {

/// Groups one tile by a digit in team scratch, in any order, where nobody has counted its groups
/// before. Its records are in registers meanwhile, so that they are read once.
template <class Teams, class Record, int Items>
class TileRanks {
  using Exec = typename Teams::execution_space;
  static constexpr std::uint32_t size = Teams::threads;
  static_assert(size * Items <= 0xFFFF, "places have 16 bits");

 public:
  /// Bytes of scratch for each digit value.
  static constexpr std::size_t bytes_per_part = sizeof(std::uint32_t);

  /// Reads the tile's records. Called by the whole team, as are `rank` and `stage`.
  template <class Member, class Source>
  KOKKOS_FORCEINLINE_FUNCTION TileRanks(const Member& team, const Tile& tile, const Source& source,
                                        std::uint32_t fan_out)
      : first_(backends::spread_rank<Exec, size>(static_cast<std::uint32_t>(team.team_rank()))),
        records_(static_cast<std::uint32_t>(tile.count)),
        counts_(static_cast<std::uint32_t*>(
            team.team_shmem().get_shmem_aligned(fan_out * bytes_per_part, 16))) {
    read_records<size>(source, tile, first_, held_);
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    for (std::uint32_t c = rank; c < fan_out; c += size) counts_[c] = 0;
    team.team_barrier();
  }

  /// Finds the place of each record of the tile among those with the same digit. Put a barrier
  /// behind it.
  template <class DigitOf>
  KOKKOS_FORCEINLINE_FUNCTION void rank(const Tile& tile, const DigitOf& digit) {
    HASHMILL_UNROLL(16)
    for (int k = 0; k < Items; ++k) {
      if (!there(k)) continue;
      const std::uint32_t c =
          digit.at(held_[k], tile.begin + first_ + static_cast<std::uint64_t>(k) * size);
      places_[k] = c << 16 | backends::team_fetch_add<Exec>(counts_ + c, std::uint32_t{1});
    }
  }
  /// The number of records with digit value `c`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count(std::uint32_t c) const {
    return counts_[c];
  }
  /// Lets the group of digit value `c` begin at `start` of the stage. Returns its end. Put a
  /// barrier behind it.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t begin_group(std::uint32_t c,
                                                        std::uint32_t start) const {
    const std::uint32_t count = counts_[c];
    counts_[c] = start;
    return start + count;
  }
  /// Where the group of digit value `c` begins, once all have begun.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t begin_of(std::uint32_t c) const {
    return counts_[c];
  }
  /// Writes the records to their places, and the low bytes of their digits to the same places of
  /// `low`.
  KOKKOS_FORCEINLINE_FUNCTION void stage(Record* to, std::uint8_t* low) const {
    HASHMILL_UNROLL(16)
    for (int k = 0; k < Items; ++k) {
      if (!there(k)) continue;
      const std::uint32_t c = places_[k] >> 16;
      const std::uint32_t place = counts_[c] + (places_[k] & 0xFFFF);
      to[place] = held_[k];
      low[place] = static_cast<std::uint8_t>(c);
    }
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool there(int k) const {
    return first_ + static_cast<std::uint32_t>(k) * size < records_;
  }

  std::uint32_t first_;          // of this thread's records
  std::uint32_t records_;        // of the tile
  std::uint32_t* counts_;        // of each digit value, then where its group begins
  Record held_[Items];           // indexed by constants only, so that they stay in registers
  std::uint32_t places_[Items];  // digit, and place among those with the same one
};

}  // namespace hashmill::detail
