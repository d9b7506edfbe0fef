#pragma once

#include <algorithm>
#include <bit>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/slices.hpp>
#include <hashmill/backends/thread_loop.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/distributed_hash_graph/splits.hpp>
#include <hashmill/hash_bits.hpp>
#include <hashmill/partition/detail/columns.hpp>
#include <hashmill/partition/detail/histogram.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>
#include <hashmill/primitives/detail/prefetch_elements.hpp>
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
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Key& key) const {
    return owner_of(first_bins, static_cast<std::uint32_t>(bin_of(key)), 0, ranks);
  }
};

/// The part of a record's key, by its bin.
template <class BinOf>
struct PartOfKey {
  BinOf bin_of;
  const std::uint16_t* parts;  // of each bin
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator()(const Record& record) const {
    return parts[bin_of(first_of(record))];
  }
};

/// Counts the rows of each bin, one thread of a host for its share of the rows.
template <class Keys, class BinOf>
struct CountBinsHost {
  Keys keys;
  BinOf bin_of;
  std::uint64_t bins, threads;
  std::uint64_t* counts;
  void operator()(std::uint64_t thread, std::byte* scratch) const {
    auto* mine = reinterpret_cast<std::uint32_t*>(scratch);
    const std::uint64_t end = backends::slice_begin(thread + 1, threads, keys.size());
    // 32 bits count one stretch, since a thread's share may be longer.
    constexpr std::uint64_t stretch = std::uint64_t{1} << 31;
    for (std::uint64_t begin = backends::slice_begin(thread, threads, keys.size()); begin < end;
         begin += std::min(stretch, end - begin)) {
      std::fill_n(mine, bins, 0U);
      for (std::uint64_t i = begin; i < std::min(end, begin + stretch); ++i) {
        ++mine[bin_of(keys(i))];
      }
      for (std::uint64_t b = 0; b < bins; ++b) {
        if (mine[b] != 0) Kokkos::atomic_add(counts + b, std::uint64_t{mine[b]});
      }
    }
  }
};

/// Counts the rows of each bin, where there are too many bins for the scratch of a team.
template <class Keys, class BinOf>
struct CountEachRow {
  Keys keys;
  BinOf bin_of;
  std::uint32_t* counts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Kokkos::atomic_inc(counts + bin_of(keys(static_cast<std::uint64_t>(i))));
  }
};

/// Adds the counts of the 2^bits parts of each bin, those of each slice, and those of all slices of
/// each part.
struct AddFineCounts {
  const std::uint32_t* fine;  // of the parts of each slice, slice by slice
  std::uint64_t slices, fine_bins, bins;
  unsigned bits;
  std::uint64_t* counts;  // of the bins of each slice
  std::uint32_t* of_all;  // of the parts
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint32_t sum = 0;
    for (std::uint64_t s = 0; s < slices; ++s) {
      const std::uint32_t count = fine[s * fine_bins + static_cast<std::uint64_t>(i)];
      sum += count;
      if (count != 0) Kokkos::atomic_add(counts + s * bins + (i >> bits), std::uint64_t{count});
    }
    of_all[i] = sum;
  }
};

/// log2 of the buckets of a bin: the fewest that make no more than 256 bins for each rank, so that
/// one bin is about 0.4 % of a share.
[[nodiscard]] inline unsigned bucket_bits_for(std::uint64_t buckets, int ranks) {
  const auto rank_bits = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(ranks) - 1));
  return static_cast<unsigned>(std::bit_width((buckets - 1) >> (rank_bits + 8)));
}

/// Neighbouring buckets of a table in bins of 2^`bucket_bits`; the last can have fewer.
struct BinShape {
  std::uint64_t buckets;
  unsigned bucket_bits;

  [[nodiscard]] std::uint64_t bins() const { return ((buckets - 1) >> bucket_bits) + 1; }
};

/// log2 of the parts of each bin that a device counts, so that they have 2^`wanted_bits` buckets;
/// 0 if there are too many for its counters.
template <class Exec>
[[nodiscard]] unsigned fine_bits_for(const Exec& exec, const BinShape& shape,
                                     unsigned wanted_bits) {
  if (shape.bucket_bits <= wanted_bits) return 0;
  const unsigned bits = shape.bucket_bits - wanted_bits;
  const auto fine_bits = static_cast<unsigned>(std::bit_width((shape.bins() << bits) - 1));
  return fine_bits <= histogram_bits(exec) ? bits : 0;
}

/// Neighbouring keys of a source, as a source.
template <class Keys>
struct KeySlice {
  using value_type = typename Keys::value_type;
  Keys keys;
  std::uint64_t first, count;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    return keys(first + i);
  }
  /// Where a host finds key i, of keys that lie side by side.
  KOKKOS_FORCEINLINE_FUNCTION const value_type* address(std::uint64_t i) const requires
      HasAddress<Keys> {
    return keys.address(first + i);
  }
};
/// One of equal slices of keys.
template <class Keys>
[[nodiscard]] KeySlice<Keys> slice_of(const Keys& keys, std::uint64_t slice, std::uint64_t slices) {
  const std::uint64_t first = backends::slice_begin(slice, slices, keys.size());
  return {keys, first, backends::slice_begin(slice + 1, slices, keys.size()) - first};
}

/// How many rows of one rank each bin has.
template <class MemorySpace>
struct BinCounts {
  std::vector<std::uint64_t> rows;  // of each slice of the rows, slice by slice
  /// On a device, those of the 2^fine_bits parts of each bin. Empty on hosts.
  Kokkos::View<std::uint32_t*, MemorySpace> fine{};
  unsigned fine_bits = 0;
  bool are_shared = false;  ///< whether ranks send each other those of the parts of bins

  /// The rows of each of `bins` bins, in all slices.
  [[nodiscard]] std::vector<std::uint64_t> sums(std::uint64_t bins) const {
    std::vector<std::uint64_t> sums(bins);
    for (std::size_t i = 0; i < rows.size(); ++i) sums[i % bins] += rows[i];
    return sums;
  }
};

/// Counts the rows of each bin in each slice of the keys. Devices also count those of the
/// 2^fine_bits equal parts of each bin, in all slices; hosts take one slice. Reads each key once.
/// Waits for `exec`.
template <class Exec, class Keys, class Hash>
[[nodiscard]] auto count_bins(const Exec& exec, const Keys& keys, const Hash& hash,
                              const BinShape& shape, unsigned fine_bits, std::uint64_t slices,
                              Workspace<typename Exec::memory_space>& workspace) {
  constexpr const char* label = "hashmill::distributed_hash_graph::count_bins";
  using MemorySpace = typename Exec::memory_space;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const std::uint64_t bins = shape.bins();
  BinCounts<MemorySpace> result{std::vector<std::uint64_t>(slices * bins)};
  const auto counts = workspace.template take<std::uint64_t>(exec, slices * bins);
  Kokkos::deep_copy(exec, counts, std::uint64_t{0});
  using BinOf = BinOfKey<Hash>;
  if constexpr (backends::has_wide_teams<Exec>) {
    const std::uint64_t fine_bins = bins << fine_bits;
    const auto bits = static_cast<unsigned>(std::bit_width(fine_bins - 1));
    const BinOf bin_of{hash, shape.buckets, shape.bucket_bits - fine_bits};
    result.fine_bits = fine_bits;
    result.fine = backends::allocate<decltype(result.fine)>(exec, "hashmill::bins", fine_bins);
    const auto fine = workspace.template take<std::uint32_t>(exec, slices * fine_bins);
    Kokkos::deep_copy(exec, fine, 0U);
    for (std::uint64_t s = 0; s < slices; ++s) {
      using Slice = KeySlice<Keys>;
      const Slice slice = slice_of(keys, s, slices);
      if (bits <= histogram_bits(exec)) {
        count_all_parts(label, exec, KeyColumnSource<Slice>{slice}, slice.size(), bin_of, bits,
                        fine.data() + s * fine_bins);
      } else {
        backends::for_each_index(
            label, exec, slice.size(),
            CountEachRow<Slice, BinOf>{slice, bin_of, fine.data() + s * fine_bins});
      }
    }
    backends::for_each_index("hashmill::distributed_hash_graph::add_counts", exec, fine_bins,
                             AddFineCounts{fine.data(), slices, fine_bins, bins, fine_bits,
                                           counts.data(), result.fine.data()});
  } else {
    const auto threads = static_cast<std::uint64_t>(exec.concurrency());
    const BinOf bin_of{hash, shape.buckets, shape.bucket_bits};
    backends::for_each_thread(
        label, exec, bins * sizeof(std::uint32_t),
        CountBinsHost<Keys, BinOf>{keys, bin_of, bins, threads, counts.data()});
  }
  using OnHost = Kokkos::View<std::uint64_t*, Kokkos::HostSpace>;
  Kokkos::deep_copy(exec, OnHost(result.rows.data(), result.rows.size()), counts);
  exec.fence("hashmill::distributed_hash_graph: counts of bins are sent");
  return result;
}

}  // namespace hashmill::detail
