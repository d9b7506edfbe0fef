#pragma once

#include <bit>
#include <hashmill/backends/big_teams.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/partition/detail/reserve.hpp>

namespace hashmill::detail {

/// Teams that count parts: one a multiprocessor, with most of its scratch.
template <class Exec>
using HistogramTeams = backends::BigTeams<Exec, 1024, 1>;

/// Counts the records of each part in team scratch. Teams take tiles in turn and add up at the end.
/// Each record is read once.
///
/// A counter has 16 bits, so that the scratch of an H200 holds 2^16 of them. One that reaches 2^15
/// hands them on to the sum at once. It cannot overflow meanwhile: a team meets at a barrier before
/// it has counted another 2^15 records.
///
/// Where there are few parts, each has several counters, which neighbouring lanes take in turn:
/// additions to one address run one after another.
template <class Exec, class Source, class PartOf, class Offset>
struct CountAllParts {
  using Teams = HistogramTeams<Exec>;
  using Member = typename Teams::Member;
  using Record = typename Source::record_type;
  static constexpr std::uint32_t size = Teams::threads;
  static constexpr int batch = batch_records<Record>;
  static constexpr std::uint64_t tile_records = std::uint64_t{size} * batch;
  static constexpr std::uint32_t half = 1U << 15;
  static constexpr std::uint64_t tiles_between_barriers = half / tile_records;
  static_assert(tiles_between_barriers > 0);

  Source source;
  std::uint64_t records;
  Digit<PartOf> part;
  unsigned copy_bits;  // log2 of the counters of a part
  Offset* counts;

  /// Bytes of scratch for 2^bits counters.
  [[nodiscard]] static std::size_t scratch_bytes(unsigned bits) {
    return (sizeof(std::uint16_t) << bits) + 16;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t num_tiles() const {
    return (records + tile_records - 1) / tile_records;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint32_t counters = part.fan_out() << copy_bits;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    auto* words = static_cast<std::uint32_t*>(
        team.team_shmem().get_shmem_aligned(counters * sizeof(std::uint16_t), 16));
    for (std::uint32_t w = rank; w < (counters + 1) / 2; w += size) words[w] = 0;
    team.team_barrier();
    const auto first = backends::spread_rank<Exec, size>(rank);
    const std::uint32_t copy = rank & ((1U << copy_bits) - 1);
    const std::uint64_t tiles = num_tiles(), step = team.league_size();
    std::uint64_t t = team.league_rank(), done = 0;
    Held held;
    read(t, first, held);
    for (; t < tiles; t += step) {
      if (++done % tiles_between_barriers == 0) team.team_barrier();
      Held next;  // on its way while this tile is counted
      if (t + step < tiles) read(t + step, first, next);
      count(tile(t), first, copy, held, words);
      held = next;
    }
    team.team_barrier();
    for (std::uint32_t c = rank; c < part.fan_out(); c += size) add(c, sum_of(c, words));
  }

 private:
  struct Held {
    Record records[batch];
  };
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Tile tile(std::uint64_t t) const {
    Tile tile{};
    tile.begin = t * tile_records;
    const std::uint64_t left = records - tile.begin;
    tile.count = left < tile_records ? left : tile_records;
    return tile;
  }
  KOKKOS_FORCEINLINE_FUNCTION void read(std::uint64_t t, std::uint32_t first, Held& held) const {
    read_records<size>(source, tile(t), first, held.records);
  }
  /// All additions are on their way before the first old value is looked at.
  KOKKOS_FORCEINLINE_FUNCTION void count(const Tile& tile, std::uint32_t first, std::uint32_t copy,
                                         const Held& held, std::uint32_t* words) const {
    std::uint32_t parts[batch], before[batch];
    backends::unrolled<batch>([&](unsigned k) {
      before[k] = 0;
      if (first + k * size >= tile.count) return;
      parts[k] = part(held.records[k]);
      const std::uint32_t counter = parts[k] << copy_bits | copy, shift = counter % 2 * 16;
      before[k] = backends::team_fetch_add<Exec>(words + counter / 2, 1U << shift) >> shift;
    });
    bool any_full = false;
    backends::unrolled<batch>([&](unsigned k) { any_full |= is_full(before[k]); });
    if (!any_full) return;
    backends::unrolled<batch>([&](unsigned k) {
      if (!is_full(before[k])) return;
      const std::uint32_t counter = parts[k] << copy_bits | copy, shift = counter % 2 * 16;
      backends::team_fetch_add<Exec>(words + counter / 2, 0U - (half << shift));
      add(parts[k], half);
    });
  }
  /// Whether the counter, which was at `before`, has reached `half`.
  [[nodiscard]] static KOKKOS_FORCEINLINE_FUNCTION bool is_full(std::uint32_t before) {
    return (before & 0xFFFF) == half - 1;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t sum_of(std::uint32_t c,
                                                                 const std::uint32_t* words) const {
    std::uint32_t sum = 0;
    for (std::uint32_t k = c << copy_bits; k < (c + 1) << copy_bits; ++k) {
      sum += words[k / 2] >> k % 2 * 16 & 0xFFFF;
    }
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(std::uint32_t c, std::uint32_t count) const {
    if (count != 0) Kokkos::atomic_add(counts + c, static_cast<Offset>(count));
  }
};

/// The most bits of part numbers that `count_all_parts` takes on a device: 16 on an H200.
template <class Exec>
[[nodiscard]] unsigned histogram_bits(const Exec& exec) {
  const std::size_t counters =
      (HistogramTeams<Exec>::scratch_limit(exec) - 16) / sizeof(std::uint16_t);
  return std::min(16U, static_cast<unsigned>(std::bit_width(counters)) - 1);
}

/// Adds the number of records of each of 2^bits parts to `counts`. `bits`: at most
/// `histogram_bits`. Asynchronous. Reads every record once.
template <class Exec, class Source, class PartOf, class Offset>
void count_all_parts(const char* label, const Exec& exec, const Source& source,
                     std::uint64_t records, const PartOf& part_of, unsigned bits, Offset* counts) {
  using Count = CountAllParts<Exec, Source, PartOf, Offset>;
  constexpr unsigned most_copy_bits = 5;  // a counter for each lane of a warp
  const unsigned copy_bits = std::min(most_copy_bits, histogram_bits(exec) - bits);
  const Count count{source, records, {part_of, 0, bits}, copy_bits, counts};
  // Where transfers hold some multiprocessors, teams that all have equal shares end late. Where
  // there are few counters to add up, shares are smaller.
  constexpr unsigned few_bits = 10;
  const std::uint64_t rounds = bits <= few_bits ? 4 : 1;
  const std::uint64_t teams = std::min(rounds * Count::Teams::concurrent(exec), count.num_tiles());
  if (teams == 0) return;
  Count::Teams::launch(label, exec, static_cast<int>(teams), Count::scratch_bytes(bits + copy_bits),
                       count);
}

/// Counts the records of all parts of all levels and sums them up, in the caller's frame of
/// `workspace`; see `count_all_parts`.
template <class Offset, class Exec, class Source, class PartOf, class MemorySpace>
[[nodiscard]] const Offset* sum_up_all_parts(const Exec& exec, const Source& source,
                                             std::uint64_t records, const PartOf& part_of,
                                             unsigned bits, Workspace<MemorySpace>& workspace) {
  const auto sums = workspace.template take<Offset>(exec, (std::uint64_t{1} << bits) + 1);
  Kokkos::deep_copy(exec, sums, Offset{0});
  count_all_parts("hashmill::partition::count_all", exec, source, records, part_of, bits,
                  sums.data());
  backends::exclusive_scan(exec, sums, workspace);
  return sums.data();
}

}  // namespace hashmill::detail
