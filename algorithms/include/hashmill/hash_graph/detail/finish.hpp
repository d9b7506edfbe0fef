#pragma once

#include <algorithm>
#include <hashmill/backends/team_scan.hpp>
#include <hashmill/hash_graph/detail/bins.hpp>

namespace hashmill::detail {

/// One bin: a stretch of records grouped by bin, which becomes a stretch of the table.
struct Bin {
  std::uint64_t begin;  // position of its first record and entry
  std::uint64_t count;
  std::uint64_t first_bucket;
  std::uint64_t buckets;
};

/// What the finishing kernels of both engines read.
template <class Target, class Record>
struct FinishBins {
  using Index = std::remove_pointer_t<decltype(Target::offsets)>;
  using record_type = Record;
  Target target;
  BinPlan plan;
  std::uint64_t bins;
  const Index* bin_offsets;  // of bin `first_bin` and of those behind it
  const Record* records;
  std::uint64_t first_bin;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Bin bin(std::uint64_t b) const {
    const std::uint64_t first = (first_bin + b) << plan.bucket_bits;
    const std::uint64_t size = std::uint64_t{1} << plan.bucket_bits;
    const std::uint64_t left = target.range.count - first;
    return {bin_offsets[b], bin_offsets[b + 1] - bin_offsets[b], first, left < size ? left : size};
  }
  /// Whether a bin has too many entries for one team or thread.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_heavy(const Bin& bin) const {
    return bin.count > plan.heavy;
  }
};

/// Eight 16-bit counters. Each word holds two, because atomics work on words. A group is moved in
/// one access.
struct alignas(16) CounterGroup {
  std::uint32_t words[4];

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t sum() const {
    std::uint32_t sum = 0;
    for (const std::uint32_t word : words) sum += (word & 0xFFFF) + (word >> 16);
    return sum;
  }
  /// Replaces the counters by their exclusive prefix sum, which begins at `start`. Returns its end.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t scan(std::uint32_t start) {
    for (std::uint32_t& word : words) {
      const std::uint32_t low = word & 0xFFFF, high = word >> 16;
      word = start | (start + low) << 16;
      start += low + high;
    }
    return start;
  }
};

/// Team engine: finishes one bin per team. A team counts the bin's buckets in scratch and scans
/// them. It then places the entries in scratch, from where they go out as one coalesced run.
///
///     | entries of the bin  | what happens                                                |
///     |---------------------|-------------------------------------------------------------|
///     | up to `plan.staged` | placed in scratch first                                     |
///     | up to `plan.heavy`  | placed in memory directly                                   |
///     | more                | left to a further level of partitioning (finish_heavy_bins) |
///
/// Per record: two reads (the second from cache), two scratch atomics, one scratch write and read,
/// one coalesced write. A counter has 16 bits, because a bin has at most 65535 entries here.
template <class Exec, class Finish>
struct FinishBinTeam {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Entry = std::remove_pointer_t<decltype(decltype(Finish::target)::entries)>;
  using Index = typename Finish::Index;
  Finish finish;

  [[nodiscard]] static std::size_t scratch_bytes(const BinPlan& plan) {
    return counter_bytes(plan.bucket_bits) + plan.staged * sizeof(Entry) + finish_slack;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Bin bin = finish.bin(static_cast<std::uint64_t>(team.league_rank()));
    if (finish.is_heavy(bin)) return;
    auto* groups = static_cast<CounterGroup*>(
        team.team_shmem().get_shmem_aligned(counter_bytes(finish.plan.bucket_bits), 16));
    std::uint32_t* counters = groups->words;
    auto* stage = static_cast<Entry*>(
        team.team_shmem().get_shmem_aligned(finish.plan.staged * sizeof(Entry), 16));
    count(team, bin, groups);
    team.team_barrier();
    scan(team, groups);
    team.team_barrier();
    write_offsets(team, bin, counters);
    team.team_barrier();
    if (bin.count <= finish.plan.staged) {
      place(team, bin, counters, stage);
      team.team_barrier();
      constexpr std::uint32_t size = backends::team_threads<Exec>;
      Entry* out = finish.target.entries + bin.begin;
      HASHMILL_UNROLL(4)
      for (std::uint32_t j = team.team_rank(); j < bin.count; j += size) out[j] = stage[j];
    } else {
      place(team, bin, counters, finish.target.entries + bin.begin);
    }
  }

 private:
  static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t fetch_increment(std::uint32_t* counters,
                                                                   std::uint32_t bucket) {
    const std::uint32_t shift = (bucket & 1) * 16;
    return (backends::team_fetch_add<Exec>(&counters[bucket >> 1], std::uint32_t{1} << shift) >>
            shift) &
           0xFFFF;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t local_bucket(
      const Bin& bin, const typename Finish::record_type& record) const {
    return static_cast<std::uint32_t>(finish.target.bucket(record) - bin.first_bucket);
  }

  KOKKOS_FUNCTION void count(const Member& team, const Bin& bin, CounterGroup* groups) const {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const std::uint32_t count = counter_groups(finish.plan.bucket_bits);
    for (std::uint32_t g = rank; g < count; g += size) groups[g] = CounterGroup{};
    team.team_barrier();
    std::uint32_t* counters = groups->words;
    const auto* records = finish.records + bin.begin;
    HASHMILL_UNROLL(4)
    for (std::uint32_t j = rank; j < bin.count; j += size) {
      fetch_increment(counters, local_bucket(bin, records[j]));
    }
  }

  /// Exclusive prefix sum of the packed counters. Each thread handles a run of groups. It reads and
  /// writes them in 16-byte accesses and keeps them in registers in between.
  KOKKOS_FUNCTION void scan(const Member& team, CounterGroup* groups) const {
    constexpr std::uint32_t most =
        (counter_groups(max_team_bucket_bits) + backends::team_threads<Exec> - 1) /
        backends::team_threads<Exec>;
    const std::uint32_t count = counter_groups(finish.plan.bucket_bits);
    const std::uint32_t each =
        (count + backends::team_threads<Exec> - 1) / backends::team_threads<Exec>;
    const std::uint32_t first = each * static_cast<std::uint32_t>(team.team_rank());
    const auto mine = [&](std::uint32_t i) { return i < each && first + i < count; };
    CounterGroup held[most];
    std::uint32_t sum = 0;
    HASHMILL_UNROLL(4)
    for (std::uint32_t i = 0; i < most; ++i) {
      if (mine(i)) sum += (held[i] = groups[first + i]).sum();
    }
    std::uint32_t start = backends::TeamScan<Exec, Member>(team).exclusive_sum(sum);
    HASHMILL_UNROLL(4)
    for (std::uint32_t i = 0; i < most; ++i) {
      if (!mine(i)) continue;
      start = held[i].scan(start);
      groups[first + i] = held[i];
    }
  }

  KOKKOS_FUNCTION void write_offsets(const Member& team, const Bin& bin,
                                     const std::uint32_t* counters) const {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    Index* offsets = finish.target.offsets + bin.first_bucket;
    for (std::uint32_t b = team.team_rank(); b < bin.buckets; b += size) {
      const std::uint32_t start = (counters[b >> 1] >> (b & 1) * 16) & 0xFFFF;
      offsets[b] = static_cast<Index>(bin.begin + start);
    }
  }

  KOKKOS_FUNCTION void place(const Member& team, const Bin& bin, std::uint32_t* counters,
                             Entry* out) const {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const auto rank = backends::spread_rank<Exec>(static_cast<std::uint32_t>(team.team_rank()));
    const auto* records = finish.records + bin.begin;
    HASHMILL_UNROLL(4)
    for (std::uint32_t j = rank; j < bin.count; j += size) {
      const auto record = records[j];
      out[fetch_increment(counters, local_bucket(bin, record))] =
          finish.target.layout.entry(record);
    }
  }
};

/// Host engine: each thread counts, scans and places bins whose offsets and entries stay in its
/// cache. The counters are the offsets themselves, one place up, as in build_v1. While counting,
/// the buckets of up to `plan.staged` records per bin are noted in scratch. Hashing a second time
/// took a tenth of the build.
template <class Finish>
struct FinishBinsHost {
  using Index = typename Finish::Index;
  Finish finish;
  backends::BlockShares bins;

  [[nodiscard]] static std::size_t scratch_bytes(const BinPlan& plan) {
    return plan.staged * sizeof(std::uint32_t);
  }

  void operator()(std::uint64_t thread, std::byte* scratch) const {
    auto* const noted = reinterpret_cast<std::uint32_t*>(scratch);
    bins.run(thread, [&](std::int64_t b) {
      const Bin bin = finish.bin(static_cast<std::uint64_t>(b));
      if (!finish.is_heavy(bin)) build(bin, noted);
    });
  }

 private:
  void build(const Bin& bin, std::uint32_t* noted) const {
    const auto& target = finish.target;
    Index* counters = target.offsets + bin.first_bucket + 1;
    for (std::uint64_t i = 0; i < bin.buckets; ++i) counters[i] = 0;
    const bool notes = bin.count <= finish.plan.staged;
    std::uint64_t counted = 0;
    for_each_batch(bin, [&](const auto& batch, std::uint32_t n) {
      if (notes) std::copy_n(batch.digits, n, noted + counted);
      for (std::uint32_t j = 0; j < n; ++j) ++counters[batch.digits[j]];
      counted += n;
    });
    scan(bin, counters);
    const auto place = [&](const auto& record, std::uint32_t bucket) {
      target.entries[counters[bucket]++] = target.layout.entry(record);
    };
    if (notes) {
      const auto* records = finish.records + bin.begin;
      for (std::uint64_t i = 0; i < bin.count; ++i) place(records[i], noted[i]);
    } else {
      for_each_batch(bin, [&](const auto& batch, std::uint32_t n) {
        for (std::uint32_t j = 0; j < n; ++j) place(batch.records[j], batch.digits[j]);
      });
    }
  }
  /// Turns the number of records of each bucket into the position of its first entry.
  static void scan(const Bin& bin, Index* counters) {
    auto start = static_cast<Index>(bin.begin);
    for (std::uint64_t i = 0; i < bin.buckets; ++i) {
      const Index counted = counters[i];
      counters[i] = start;
      start += counted;
    }
  }
  template <class Use>
  void for_each_batch(const Bin& bin, const Use& use) const {
    using Record = typename Finish::record_type;
    using Source = RecordSource<Record>;
    const auto local = [&](const Record& record) {
      return static_cast<std::uint32_t>(finish.target.bucket(record) - bin.first_bucket);
    };
    Tile tile{};
    tile.begin = bin.begin;
    tile.count = bin.count;
    HostBatch<Source, decltype(local)>::for_each(Source{finish.records}, local, tile, use);
  }
};

}  // namespace hashmill::detail
