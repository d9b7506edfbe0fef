#pragma once

#include <algorithm>
#include <bit>
#include <hashmill/backends/slices.hpp>
#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/backends/thread_loop.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/distributed_hash_graph/splits.hpp>
#include <hashmill/hash_bits.hpp>
#include <hashmill/partition/detail/tiles.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>
#include <vector>

namespace hashmill::detail {

/// The bin of a key: its bucket without the lowest `bucket_bits` bits.
template <class Hash>
struct BinOfKey {
  Hash hash;
  std::uint64_t buckets;
  unsigned bucket_bits;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Key& key) const {
    return bucket_of(hash(key), buckets) >> bucket_bits;
  }
};

/// The first bins of the ranks, where kernels can read them. Moving copies, as for Splits.
template <class MemorySpace>
class FirstBins {
 public:
  FirstBins() = default;
  FirstBins(const FirstBins&) = default;
  FirstBins& operator=(const FirstBins&) = default;
  ~FirstBins() = default;

  /// Sends those of `splits` to the device. Asynchronous on `exec`.
  template <class Exec>
  void send(const Exec& exec, const Splits& splits) {
    on_host_.assign(splits.first_bins().begin(), splits.first_bins().end() - 1);
    bins_ = to_device<MemorySpace>(exec, on_host_);
  }
  [[nodiscard]] const std::uint32_t* data() const { return bins_.data(); }

 private:
  std::vector<std::uint32_t> on_host_;
  Kokkos::View<std::uint32_t*, MemorySpace> bins_;
};

/// The rank that owns a key. It is sought among the ranks' first bins, in numbers of 32 bits: there
/// are few bins, and a GPU's passes over keys are bound by their instructions.
template <class BinOf>
struct OwnerOfKey {
  BinOf bin_of;
  const std::uint32_t* first_bins;  // of each rank
  std::uint32_t ranks;
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rank_of_bin(std::uint32_t bin) const {
    return owner_of(first_bins, bin, 0, ranks);
  }
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Key& key) const {
    return rank_of_bin(static_cast<std::uint32_t>(bin_of(key)));
  }
};

/// The part of a key: each rank's bins are cut into parts of 2^`bin_bits` of them.
template <class BinOf>
struct PartOfKey {
  OwnerOfKey<BinOf> owner;
  const std::uint32_t* first_parts;  // of each rank
  unsigned bin_bits;
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator()(const Record& record) const {
    const auto bin = static_cast<std::uint32_t>(owner.bin_of(record.first));
    const std::uint32_t rank = owner.rank_of_bin(bin);
    return first_parts[rank] + ((bin - owner.first_bins[rank]) >> bin_bits);
  }
};

/// The bin of a row's key.
template <class Keys, class BinOf>
struct BinOfRow {
  using record_type = std::uint64_t;
  Keys keys;
  BinOf bin_of;
  std::uint64_t bins;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    return bin_of(keys(i));
  }
};

/// Counts the rows of each bin, one thread of a host for its share of the rows.
template <class BinOf>
struct CountBinsHost {
  BinOf bin_of;
  std::uint64_t rows, threads;
  std::uint64_t* counts;
  void operator()(std::uint64_t thread, std::byte* scratch) const {
    auto* mine = reinterpret_cast<std::uint32_t*>(scratch);
    const std::uint64_t bins = bin_of.bins;
    const std::uint64_t end = backends::slice_begin(thread + 1, threads, rows);
    // 32 bits count one stretch, since a thread's share may be longer.
    constexpr std::uint64_t stretch = std::uint64_t{1} << 31;
    for (std::uint64_t begin = backends::slice_begin(thread, threads, rows); begin < end;
         begin += std::min(stretch, end - begin)) {
      std::fill_n(mine, bins, 0U);
      for (std::uint64_t i = begin; i < std::min(end, begin + stretch); ++i) ++mine[bin_of(i)];
      for (std::uint64_t b = 0; b < bins; ++b) {
        if (mine[b] != 0) Kokkos::atomic_add(counts + b, std::uint64_t{mine[b]});
      }
    }
  }
};

/// Counts the rows of each bin, one team of a device for a tile of rows. The counters are in
/// scratch where they fit.
template <class Exec, class BinOf>
struct CountBinsTeam {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::uint64_t tile_rows = std::uint64_t{1} << 16;
  BinOf bin_of;
  std::uint64_t rows;
  std::uint64_t* counts;
  bool in_scratch;
  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint64_t begin = static_cast<std::uint64_t>(team.league_rank()) * tile_rows;
    const std::uint64_t end = begin + tile_rows < rows ? begin + tile_rows : rows;
    const auto rank = static_cast<std::uint64_t>(team.team_rank());
    const auto size = static_cast<std::uint64_t>(team.team_size());
    const std::uint64_t bins = bin_of.bins;
    if (!in_scratch) {
      for (std::uint64_t i = begin + rank; i < end; i += size) {
        Kokkos::atomic_inc(counts + bin_of(i));
      }
      return;
    }
    auto* mine = static_cast<std::uint32_t*>(
        team.team_scratch(0).get_shmem_aligned(bins * sizeof(std::uint32_t), 16));
    for (std::uint64_t b = rank; b < bins; b += size) mine[b] = 0;
    team.team_barrier();
    Tile tile{};
    tile.begin = begin;
    tile.count = end - begin;
    for_each_record<backends::team_threads<Exec>, 8>(
        bin_of, tile, static_cast<std::uint32_t>(rank),
        [&](std::uint64_t bin) { backends::team_fetch_add<Exec>(mine + bin, std::uint32_t{1}); });
    team.team_barrier();
    for (std::uint64_t b = rank; b < bins; b += size) {
      if (mine[b] != 0) Kokkos::atomic_add(counts + b, std::uint64_t{mine[b]});
    }
  }
};

/// log2 of the buckets of a bin: the fewest that make no more than 256 bins for each rank, so that
/// one bin is about 0.4 % of a share.
[[nodiscard]] inline unsigned bucket_bits_for(std::uint64_t buckets, int ranks) {
  const auto rank_bits = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(ranks) - 1));
  return static_cast<unsigned>(std::bit_width((buckets - 1) >> (rank_bits + 8)));
}

/// The number of rows of each bin, of this rank. Reads each key once. Waits for `exec`.
template <class Exec, class BinOf>
[[nodiscard]] std::vector<std::uint64_t> count_bins(
    const Exec& exec, const BinOf& bin_of, std::uint64_t rows,
    Workspace<typename Exec::memory_space>& workspace) {
  typename Workspace<typename Exec::memory_space>::Frame frame(workspace);
  const std::uint64_t bins = bin_of.bins;
  const auto counts = workspace.template take<std::uint64_t>(exec, bins);
  Kokkos::deep_copy(exec, counts, std::uint64_t{0});
  const std::size_t scratch = bins * sizeof(std::uint32_t);
  if constexpr (backends::has_wide_teams<Exec>) {
    using Kernel = CountBinsTeam<Exec, BinOf>;
    const bool fits = scratch + 16 <= backends::team_shape<Exec>().scratch_bytes;
    launch_tiles<true, Kokkos::TeamPolicy<Exec>>(
        "hashmill::distributed_hash_graph::count_bins", exec,
        (rows + Kernel::tile_rows - 1) / Kernel::tile_rows, fits ? scratch + 16 : 0,
        Kernel{bin_of, rows, counts.data(), fits});
  } else {
    const auto threads = static_cast<std::uint64_t>(exec.concurrency());
    backends::for_each_thread("hashmill::distributed_hash_graph::count_bins", exec, scratch,
                              CountBinsHost<BinOf>{bin_of, rows, threads, counts.data()});
  }
  std::vector<std::uint64_t> result(bins);
  Kokkos::deep_copy(exec, Kokkos::View<std::uint64_t*, Kokkos::HostSpace>(result.data(), bins),
                    counts);
  exec.fence("hashmill::distributed_hash_graph: counts of bins are sent");
  return result;
}

}  // namespace hashmill::detail
