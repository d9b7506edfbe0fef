#pragma once

#include <hashmill/backends/unroll.hpp>
#include <hashmill/backends/warp_peers.hpp>
#include <hashmill/partition/detail/tiles.hpp>

namespace hashmill::detail {

/// Groups one tile by a digit in team scratch. Records with equal digits keep their input order.
///
/// Each warp has consecutive records, one a lane at a time, and counters of its own. So its lanes
/// need only agree with each other on the order of their records, for which they vote: there are no
/// atomics, and records go through scratch once.
template <class Exec, class Record, int Items>
class StableTileSort {
  using Warp = backends::WarpPeers<Exec>;
  using Counter = std::uint16_t;
  static constexpr std::uint32_t size = backends::team_threads<Exec>;
  static constexpr std::uint32_t lanes = Warp::lanes;
  static constexpr std::uint32_t warps = size / lanes;
  static_assert(size * Items <= 0xFFFF, "counters have 16 bits");

 public:
  /// Bytes of scratch for each digit value.
  static constexpr std::size_t bytes_per_part = warps * sizeof(Counter);

  /// Reads the tile's records. Called by the whole team, as are `rank` and `stage`.
  template <class Member, class Source>
  KOKKOS_FORCEINLINE_FUNCTION StableTileSort(const Member& team, const Tile& tile,
                                             const Source& source, std::uint32_t fan_out)
      : warp_(static_cast<unsigned>(team.team_rank())),
        fan_out_(fan_out),
        records_(static_cast<std::uint32_t>(tile.count)),
        counts_(static_cast<Counter*>(
            team.team_shmem().get_shmem_aligned(fan_out * bytes_per_part, 16))) {
    const std::uint32_t warp = static_cast<std::uint32_t>(team.team_rank()) / lanes;
    first_ = warp * lanes * Items + warp_.lane();
    own_ = counts_ + std::size_t{warp} * fan_out;
    read_records<lanes>(source, tile, first_, held_);
    for (std::uint32_t c = warp_.lane(); c < fan_out; c += lanes) own_[c] = 0;
    warp_.sync();
  }

  /// Finds the place of each record among those of its warp with the same digit. Put a barrier
  /// behind it.
  template <class DigitOf>
  KOKKOS_FORCEINLINE_FUNCTION void rank(const DigitOf& digit) {
    HASHMILL_UNROLL(8)
    for (int k = 0; k < Items; ++k) {
      const std::uint32_t c = there(k) ? digit(held_[k]) : 0;
      const backends::Peers peers = warp_.peers(c, digit.bits, there(k));
      const std::uint32_t before = own_[c];
      warp_.sync();
      if (peers.first) own_[c] = static_cast<Counter>(before + peers.count);
      warp_.sync();
      places_[k] = c << 16 | (before + peers.before);
    }
  }
  /// The number of records with digit value `c`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count(std::uint32_t c) const {
    std::uint32_t sum = 0;
    for (std::uint32_t w = 0; w < warps; ++w) sum += counts_[w * fan_out_ + c];
    return sum;
  }
  /// Lets the group of digit value `c` begin at `start` of the stage. Returns its end. Put a
  /// barrier behind it.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t begin_group(std::uint32_t c,
                                                        std::uint32_t start) const {
    for (std::uint32_t w = 0; w < warps; ++w) {
      const std::uint32_t counted = counts_[w * fan_out_ + c];
      counts_[w * fan_out_ + c] = static_cast<Counter>(start);
      start += counted;
    }
    return start;
  }
  /// Writes the records to their places.
  KOKKOS_FORCEINLINE_FUNCTION void stage(Record* to) const {
    HASHMILL_UNROLL(8)
    for (int k = 0; k < Items; ++k) {
      if (there(k)) to[own_[places_[k] >> 16] + (places_[k] & 0xFFFF)] = held_[k];
    }
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool there(int k) const {
    return first_ + k * lanes < records_;
  }

  Warp warp_;
  std::uint32_t fan_out_;
  std::uint32_t records_;
  std::uint32_t first_;          // of this lane's records
  Counter* counts_;              // of each warp and digit value
  Counter* own_;                 // of this warp
  Record held_[Items];           // indexed by constants only, so that they stay in registers
  std::uint32_t places_[Items];  // digit, and place among those of the warp
};

}  // namespace hashmill::detail
