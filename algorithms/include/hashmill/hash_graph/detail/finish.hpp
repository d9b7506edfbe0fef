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
///     | entries of the bin         | what happens                                                |
///     |----------------------------|-------------------------------------------------------------|
///     | up to `held_of_bin` each   | held in registers, with their places in their buckets       |
///     | more                       | read a second time, from cache, to be placed                |
///     | up to `plan.staged`        | placed in scratch first                                     |
///     | up to `plan.heavy`         | placed in memory directly                                   |
///     | more                       | left to a further level of partitioning (finish_heavy_bins) |
///
/// Per record that is held: one read, one scratch atomic, one scratch write and read, one coalesced
/// write. A counter has 16 bits, because a bin has at most 65535 entries here.
template <class Exec, class Finish>
struct FinishBinTeam {
  using Teams = FinishTeams<Exec>;
  using Member = typename Teams::Member;
  using Entry = std::remove_pointer_t<decltype(decltype(Finish::target)::entries)>;
  using Index = typename Finish::Index;
  using Record = typename Finish::record_type;
  using Scan = backends::TeamScan<Exec, Member, std::uint32_t, Teams::threads>;
  static constexpr std::uint32_t size = Teams::threads;
  static constexpr int held_items = held_of_bin<Record>;
  static_assert(Scan::scratch_bytes <= backends::wide_team_scan_bytes);
  static_assert(max_team_bucket_bits <= 16, "a bucket and a place share 32 bits");
  Finish finish;

  [[nodiscard]] static std::size_t scratch_bytes(const BinPlan& plan) {
    return counter_bytes(plan.bucket_bits) + plan.staged * sizeof(Entry) + finish_slack;
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const Bin bin = finish.bin(static_cast<std::uint64_t>(team.league_rank()));
    if (finish.is_heavy(bin)) return;
    auto* groups = static_cast<CounterGroup*>(
        team.team_shmem().get_shmem_aligned(counter_bytes(finish.plan.bucket_bits), 16));
    auto* stage = static_cast<Entry*>(
        team.team_shmem().get_shmem_aligned(finish.plan.staged * sizeof(Entry), 16));
    const bool stages = bin.count <= finish.plan.staged;
    Entry* const out = stages ? stage : finish.target.entries + bin.begin;
    if (bin.count <= std::uint64_t{size} * held_items) {
      finish_held(team, bin, groups, out);
    } else {
      finish_read_twice(team, bin, groups, out);
    }
    if (stages) flush(team, bin, stage);
  }

 private:
  KOKKOS_FUNCTION void finish_held(const Member& team, const Bin& bin, CounterGroup* groups,
                                   Entry* out) const {
    Tile tile{};
    tile.begin = bin.begin;
    tile.count = bin.count;
    const auto first =
        backends::spread_rank<Exec, size>(static_cast<std::uint32_t>(team.team_rank()));
    const auto there = [&](int k) { return first + k * size < bin.count; };
    Record held[held_items];           // indexed by constants only, so that they stay in registers
    std::uint32_t places[held_items];  // bucket, and place in it
    read_records<size>(RecordSource<Record>{finish.records}, tile, first, held);
    clear(team, groups);
    HASHMILL_UNROLL(16)
    for (int k = 0; k < held_items; ++k) {
      if (!there(k)) continue;
      const std::uint32_t bucket = local_bucket(bin, held[k]);
      places[k] = bucket << 16 | fetch_increment(groups->words, bucket);
    }
    begin_buckets(team, bin, groups);
    HASHMILL_UNROLL(16)
    for (int k = 0; k < held_items; ++k) {
      if (!there(k)) continue;
      out[counter(groups->words, places[k] >> 16) + (places[k] & 0xFFFF)] =
          finish.target.layout.entry(held[k]);
    }
  }

  KOKKOS_FUNCTION void finish_read_twice(const Member& team, const Bin& bin, CounterGroup* groups,
                                         Entry* out) const {
    clear(team, groups);
    count(team, bin, groups->words);
    begin_buckets(team, bin, groups);
    team.team_barrier();  // offsets are written before counters move on
    place(team, bin, groups->words, out);
  }

  KOKKOS_FUNCTION void flush(const Member& team, const Bin& bin, const Entry* stage) const {
    team.team_barrier();
    Entry* const out = finish.target.entries + bin.begin;
    HASHMILL_UNROLL(4)
    for (std::uint32_t j = team.team_rank(); j < bin.count; j += size) out[j] = stage[j];
  }

  static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t counter(const std::uint32_t* counters,
                                                           std::uint32_t bucket) {
    return counters[bucket >> 1] >> (bucket & 1) * 16 & 0xFFFF;
  }
  static KOKKOS_FORCEINLINE_FUNCTION std::uint32_t fetch_increment(std::uint32_t* counters,
                                                                   std::uint32_t bucket) {
    const std::uint32_t shift = (bucket & 1) * 16;
    return (backends::team_fetch_add<Exec>(&counters[bucket >> 1], std::uint32_t{1} << shift) >>
            shift) &
           0xFFFF;
  }

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t local_bucket(const Bin& bin,
                                                         const Record& record) const {
    return static_cast<std::uint32_t>(finish.target.bucket(record) - bin.first_bucket);
  }

  KOKKOS_FUNCTION void clear(const Member& team, CounterGroup* groups) const {
    const std::uint32_t count = counter_groups(finish.plan.bucket_bits);
    for (std::uint32_t g = team.team_rank(); g < count; g += size) groups[g] = CounterGroup{};
    team.team_barrier();
  }

  KOKKOS_FUNCTION void count(const Member& team, const Bin& bin, std::uint32_t* counters) const {
    const Record* records = finish.records + bin.begin;
    HASHMILL_UNROLL(4)
    for (std::uint32_t j = team.team_rank(); j < bin.count; j += size) {
      fetch_increment(counters, local_bucket(bin, records[j]));
    }
  }

  /// Makes of the number of entries of each bucket where it begins, in scratch and in the table.
  KOKKOS_FUNCTION void begin_buckets(const Member& team, const Bin& bin,
                                     CounterGroup* groups) const {
    team.team_barrier();
    scan(team, groups);
    team.team_barrier();
    write_offsets(team, bin, groups->words);
  }

  /// Exclusive prefix sum of the packed counters. Each thread handles a run of groups. It reads and
  /// writes them in 16-byte accesses and keeps them in registers in between.
  KOKKOS_FUNCTION void scan(const Member& team, CounterGroup* groups) const {
    constexpr std::uint32_t most = (counter_groups(max_team_bucket_bits) + size - 1) / size;
    const std::uint32_t count = counter_groups(finish.plan.bucket_bits);
    const std::uint32_t each = (count + size - 1) / size;
    const std::uint32_t first = each * static_cast<std::uint32_t>(team.team_rank());
    const auto mine = [&](std::uint32_t i) { return i < each && first + i < count; };
    CounterGroup held[most];
    std::uint32_t sum = 0;
    HASHMILL_UNROLL(4)
    for (std::uint32_t i = 0; i < most; ++i) {
      if (mine(i)) sum += (held[i] = groups[first + i]).sum();
    }
    std::uint32_t start = Scan(team).exclusive_sum(sum);
    HASHMILL_UNROLL(4)
    for (std::uint32_t i = 0; i < most; ++i) {
      if (!mine(i)) continue;
      start = held[i].scan(start);
      groups[first + i] = held[i];
    }
  }

  KOKKOS_FUNCTION void write_offsets(const Member& team, const Bin& bin,
                                     const std::uint32_t* counters) const {
    Index* offsets = finish.target.offsets + bin.first_bucket;
    for (std::uint32_t b = team.team_rank(); b < bin.buckets; b += size) {
      offsets[b] = static_cast<Index>(bin.begin + counter(counters, b));
    }
  }

  KOKKOS_FUNCTION void place(const Member& team, const Bin& bin, std::uint32_t* counters,
                             Entry* out) const {
    const auto rank =
        backends::spread_rank<Exec, size>(static_cast<std::uint32_t>(team.team_rank()));
    const Record* records = finish.records + bin.begin;
    HASHMILL_UNROLL(4)
    for (std::uint32_t j = rank; j < bin.count; j += size) {
      const Record record = records[j];
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
