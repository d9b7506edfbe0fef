#pragma once

#include <hashmill/backends/unroll.hpp>
#include <hashmill/partition/detail/tiles.hpp>

namespace hashmill::detail {

/// Sorts one tile by a digit in team scratch. Records with equal digits keep their input order.
///
/// This is a radix sort, least significant bits first, with 4 bits per round. Each thread counts
/// its own consecutive records in its own column of counters, so no atomics are needed and the
/// order is kept. One scan of the 16 x threads counters, value-major, gives every record its place.
template <class Record, int Items>
struct StableTileSort {
  static constexpr unsigned round_bits = 4;
  static constexpr std::uint32_t round_values = 1U << round_bits;

  [[nodiscard]] static std::size_t scratch_bytes(int threads) {
    return static_cast<std::size_t>(threads) * round_values * sizeof(std::uint16_t) + 16;
  }

  /// Leaves the tile's records in `stage`, ordered by `digit`. Called by the whole team.
  template <class Member, class Scan, class Source, class DigitOf>
  KOKKOS_FUNCTION static void run(const Member& team, const Scan& team_scan, const Tile& tile,
                                  const Source& source, const DigitOf& digit, Record* stage) {
    const auto size = static_cast<std::uint32_t>(team.team_size());
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const auto records = static_cast<std::uint32_t>(tile.count);
    auto* counters = static_cast<std::uint16_t*>(
        team.team_shmem().get_shmem_aligned(sizeof(std::uint16_t) * size * round_values, 16));
    const std::uint32_t begin = rank * Items;

    for (std::uint32_t j = rank; j < records; j += size) stage[j] = source(tile.begin + j);
    for (unsigned shift = 0; shift < digit.bits || shift == 0; shift += round_bits) {
      Record held[Items];  // indexed by constants only, so that it stays in registers
      for (std::uint32_t v = 0; v < round_values; ++v) counters[v * size + rank] = 0;
      team.team_barrier();
      HASHMILL_UNROLL(16)
      for (int k = 0; k < Items; ++k) {
        if (begin + k >= records) continue;
        held[k] = stage[begin + k];
        ++counters[value(digit, held[k], shift) * size + rank];
      }
      team.team_barrier();
      scan(team, team_scan, counters, size * round_values);
      team.team_barrier();
      HASHMILL_UNROLL(16)
      for (int k = 0; k < Items; ++k) {
        if (begin + k >= records) continue;
        stage[counters[value(digit, held[k], shift) * size + rank]++] = held[k];
      }
      team.team_barrier();
    }
  }

 private:
  template <class DigitOf>
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t value(const DigitOf& digit, const Record& record,
                                                         unsigned shift) {
    return (digit(record) >> shift) & (round_values - 1);
  }

  template <class Member, class Scan>
  KOKKOS_FUNCTION static void scan(const Member& team, const Scan& team_scan,
                                   std::uint16_t* counters, std::uint32_t count) {
    const std::uint32_t chunk = count / static_cast<std::uint32_t>(team.team_size());
    const std::uint32_t begin = chunk * static_cast<std::uint32_t>(team.team_rank());
    std::uint32_t sum = 0;
    for (std::uint32_t i = begin; i < begin + chunk; ++i) sum += counters[i];
    std::uint32_t start = team_scan.exclusive_sum(sum);
    for (std::uint32_t i = begin; i < begin + chunk; ++i) {
      const std::uint32_t counted = counters[i];
      counters[i] = static_cast<std::uint16_t>(start);
      start += counted;
    }
  }
};

}  // namespace hashmill::detail
