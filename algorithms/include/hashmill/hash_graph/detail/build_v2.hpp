#pragma once

#include <hashmill/backends/block_loop.hpp>
#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/hash_graph/detail/finish.hpp>

namespace hashmill::detail {

/// Adds a bin to the list if it is heavy.
template <class Finish>
struct ListHeavyBin {
  Finish finish;
  std::uint64_t* ids;
  std::uint64_t* count;

  KOKKOS_FUNCTION void operator()(const std::int64_t b) const {
    const auto bin = static_cast<std::uint64_t>(b);
    if (finish.is_heavy(finish.bin(bin))) ids[Kokkos::atomic_fetch_inc(count)] = bin;
  }
};

/// Copies the offset of a bucket of a heavy bin to the offsets of the table. The end of a bin is
/// the beginning of the next one, which copies it itself if it is heavy too.
template <class Finish>
struct PublishHeavyOffset {
  Finish finish;
  const std::uint64_t* ids;  // of the heavy bins
  const typename Finish::Index* part_offsets;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    const std::uint64_t buckets = std::uint64_t{1} << finish.plan.bucket_bits;
    const std::uint64_t q = static_cast<std::uint64_t>(i) / (buckets + 1);
    const std::uint64_t b = static_cast<std::uint64_t>(i) % (buckets + 1);
    const std::uint64_t next = ids[q] + 1;
    if (b == buckets && next < finish.bins && finish.is_heavy(finish.bin(next))) return;
    const std::uint64_t bucket = finish.bin(ids[q]).first_bucket + b;
    if (bucket <= finish.target.range.count) finish.target.offsets[bucket] = part_offsets[i];
  }
};

/// Lists the heavy bins and returns their number. Waits for `exec`, because the host must know
/// whether there are any.
template <class Exec, class Finish, class MemorySpace>
std::uint64_t list_heavy_bins(const Exec& exec, const Finish& finish,
                              typename Workspace<MemorySpace>::template Array<std::uint64_t> ids,
                              Workspace<MemorySpace>& workspace) {
  const auto counter = workspace.template take<std::uint64_t>(exec, 1);
  Kokkos::deep_copy(exec, counter, std::uint64_t{0});
  backends::for_each_index("hashmill::hash_graph::v2_heavy", exec, finish.bins,
                           ListHeavyBin<Finish>{finish, ids.data(), counter.data()});
  return backends::fetch(
      exec, counter, 0,
      "hashmill::hash_graph: the number of heavy bins decides what is launched next");
}

/// Finishes bins that hold too many entries for one team or thread, which skewed keys cause. The
/// whole device partitions them further, by bucket. `bin_offsets` are those of all bins of the
/// table. Waits for `exec`.
template <bool Team, class Exec, class Target, class Index, class Record, class MemorySpace>
void finish_heavy_bins(const Exec& exec, const Target& target, const BinPlan& plan,
                       const Index* bin_offsets, std::array<Record*, 2> between,
                       Workspace<MemorySpace>& workspace) {
  using Finish = FinishBins<Target, Record>;
  const Finish finish{target, plan, plan.bins, bin_offsets, between[1], 0};
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const std::uint64_t most = target.num_keys / (plan.heavy + 1) + 1;
  const auto ids = workspace.template take<std::uint64_t>(exec, most);
  const std::uint64_t count = list_heavy_bins(exec, finish, ids, workspace);
  if (count == 0) return;

  const unsigned bits = plan.bucket_bits;
  const Ranges<Index> bins{bin_offsets, count, ids.data()};
  // The records lie in between[1]. The levels alternate between the two arrays; with an odd number
  // of levels the last one writes the entries of the table.
  LevelPlan levels(bits, max_level_bits<Exec, Record, Team>(exec));
  levels.levels |= 1;
  if (levels.levels > 1 && between[0] == nullptr) {
    between[0] = workspace.template take<Record>(exec, target.num_keys).data();
  }
  const std::uint64_t buckets = (std::uint64_t{1} << bits) + 1;
  const auto part_offsets = workspace.template take<Index>(exec, count * buckets);
  const BucketBits<decltype(target.layout.record_hash())> part_of{target.layout.record_hash(),
                                                                  target.range, 0, buckets - 2};
  partition_levels<Team, false>(exec, bins, target.num_keys, part_of, levels,
                                RecordSource<Record>{finish.records},
                                entry_sink(target.layout, target.entries), part_offsets.data(),
                                {between[1], between[0]}, workspace);
  backends::for_each_index("hashmill::hash_graph::v2_heavy_offsets", exec, count * buckets,
                           PublishHeavyOffset<Finish>{finish, ids.data(), part_offsets.data()});
}

/// Two arrays of records between which levels alternate, as long as the keys. The second one
/// receives the output of the last level. The first one is the memory of the entries if a record is
/// an entry; it is taken only if a level needs it.
template <class Exec, class Target, class MemorySpace>
[[nodiscard]] auto take_between(const Exec& exec, const Target& target, unsigned levels,
                                Workspace<MemorySpace>& workspace) {
  using Layout = decltype(target.layout);
  using Record = typename Layout::Record;
  const std::uint64_t n = target.num_keys;
  std::array<Record*, 2> between{nullptr, workspace.template take<Record>(exec, n).data()};
  if constexpr (std::is_same_v<Record, typename Layout::Entry>) {
    between[0] = target.entries;
  } else if (levels > 1) {
    between[0] = workspace.template take<Record>(exec, n).data();
  }
  return between;
}

/// Ranges of keys that hold neighbouring buckets, equally many each but the last, which begin at a
/// bin.
template <class Index>
struct KeyRanges {
  Ranges<Index> ranges;
  std::uint64_t keys;       // in all of them
  std::uint64_t first_bin;  // of the first range
};

/// How the keys of a table become records of its bins.
template <class Target>
[[nodiscard]] auto build_source(const Target& target) {
  using Layout = decltype(Target::layout);
  return BuildSource<Layout, decltype(Target::keys)>{target.layout, target.keys};
}
/// The bin of a record.
template <class Target>
[[nodiscard]] auto bin_of_record(const Target& target, const BinPlan& plan) {
  return BucketBits<decltype(target.layout.record_hash())>{
      target.layout.record_hash(), target.range, plan.bucket_bits, ~std::uint64_t{0}};
}

/// Makes each of `count` bins but heavy ones a stretch of the table, from bin `first_bin` on, where
/// `bin_offsets` begins. Their records lie side by side in `records`. Asynchronous on `exec`.
template <bool Team, class Exec, class Target, class Index, class Record>
void finish_bins(const Exec& exec, const Target& target, const BinPlan& plan,
                 std::uint64_t first_bin, std::uint64_t count, const Index* bin_offsets,
                 const Record* records) {
  using Finish = FinishBins<Target, Record>;
  const Finish finish{target, plan, count, bin_offsets, records, first_bin};
  if constexpr (Team) {
    using Kernel = FinishBinTeam<Exec, Finish>;
    check_tiles(count);
    Kernel::Teams::launch("hashmill::hash_graph::v2_finish", exec, static_cast<int>(count),
                          Kernel::scratch_bytes(plan), Kernel{finish});
  } else {
    using Kernel = FinishBinsHost<Finish>;
    backends::for_each_thread("hashmill::hash_graph::v2_finish", exec, Kernel::scratch_bytes(plan),
                              Kernel{finish, backends::share_blocks(exec, count)});
  }
}

/// Sorts ranges of keys into bins, then makes each bin but heavy ones a stretch of the table, for
/// which the caller calls `finish_heavy_bins`. `bin_offsets`: where the bins begin and the last one
/// ends, filled here. Asynchronous on `exec`.
template <bool Team, class Exec, class Target, class Record, class MemorySpace>
void build_bins(const Exec& exec, const Target& target, const BuildPlan& plan,
                const KeyRanges<typename decltype(Target::layout)::Index>& keys,
                typename decltype(Target::layout)::Index* bin_offsets,
                std::array<Record*, 2> between, Workspace<MemorySpace>& workspace) {
  partition_levels<Team, false>(exec, keys.ranges, keys.keys, bin_of_record(target, plan.bins),
                                plan.levels, build_source(target), RecordSink<Record>{between[1]},
                                bin_offsets, between, workspace);
  finish_bins<Team>(
      exec, target, plan.bins, keys.first_bin,
      std::min(keys.ranges.count << plan.levels.bits, plan.bins.bins - keys.first_bin), bin_offsets,
      between[1]);
}

/// Writes where the first bucket begins and the last one ends, which belong to no bin.
template <class Exec, class Target>
void write_outer_offsets(const Exec& exec, const Target& target) {
  using Index = std::remove_pointer_t<decltype(Target::offsets)>;
  const Kokkos::View<Index*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      offsets(target.offsets, target.range.count + 1);
  Kokkos::deep_copy(exec, Kokkos::subview(offsets, 0), Index{0});
  Kokkos::deep_copy(exec, Kokkos::subview(offsets, target.range.count),
                    static_cast<Index>(target.num_keys));
}

/// Builds a HashGraph through bins (Green 2019, algorithm 2), on `exec`. Waits for `exec` once.
/// Binning takes several levels where one pass cannot write that many bins.
///
/// Bytes per key, for 2^27 keys of 4 bytes with 32-bit rows on an H200:
///
///     | step         | read  | written          |
///     |--------------|-------|------------------|
///     | counts       | 4     |                  |
///     | first level  | 4     | 8                |
///     | second level | 8     | 8                |
///     | finish       | 8     | 8, and 4 offsets |
template <bool Team, class Exec, class Layout, class KeySource, class MemorySpace>
void build_v2(const Exec& exec, const BuildTarget<Layout, KeySource>& target, const BuildPlan& plan,
              Workspace<MemorySpace>& workspace) {
  using Index = typename Layout::Index;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const std::uint64_t n = target.num_keys;
  const auto between = take_between(exec, target, plan.levels.levels, workspace);
  write_outer_offsets(exec, target);
  const auto bin_offsets =
      workspace.template take<Index>(exec, (std::uint64_t{1} << plan.levels.bits) + 1);
  build_bins<Team>(exec, target, plan,
                   KeyRanges<Index>{whole_range<Index>(exec, n, workspace), n, 0},
                   bin_offsets.data(), between, workspace);
  const Index* const offsets = bin_offsets.data();
  finish_heavy_bins<Team>(exec, target, plan.bins, offsets, between, workspace);
}

}  // namespace hashmill::detail
