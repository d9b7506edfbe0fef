#pragma once

#include <hashmill/backends/big_teams.hpp>
#include <hashmill/backends/team_scan.hpp>
#include <hashmill/hash_graph/detail/build_target.hpp>
#include <hashmill/hash_graph/options.hpp>
#include <hashmill/partition/detail/levels.hpp>
#include <hashmill/primitives/detail/prefetch_elements.hpp>

namespace hashmill::detail {

/// Reads keys as build records and numbers the rows.
template <class Layout, class KeySource>
struct BuildSource {
  using record_type = typename Layout::Record;
  Layout layout;
  KeySource keys;
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const {
    return layout.record(keys, i);
  }
  void prefetch(std::uint64_t i, std::uint64_t count) const { prefetch_elements(keys, i, count); }
};

/// Writes build records as entries of the table, for layouts where the two types differ.
template <class Layout>
struct EntrySink {
  Layout layout;
  typename Layout::Entry* entries;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i,
                                              const typename Layout::Record& record) const {
    entries[i] = layout.entry(record);
  }
};

/// The sink that turns build records into entries of a table.
template <class Layout, class Entry>
[[nodiscard]] auto entry_sink(const Layout& layout, Entry* entries) {
  if constexpr (std::is_same_v<typename Layout::Record, Entry>) {
    return RecordSink<Entry>{entries};
  } else {
    return EntrySink<Layout>{layout, entries};
  }
}

/// The bin of a record: its bucket number without the lowest `shift` bits. With shift 0 and a mask:
/// the bucket within its bin.
template <class RecordHash>
struct BucketBits {
  RecordHash record_hash;
  HashRange range;
  unsigned shift;
  std::uint64_t mask;

  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Record& record) const {
    return (range.place_of(record_hash(record)) >> shift) & mask;
  }
};

/// How the buckets of a table are cut into bins of 2^bucket_bits neighbouring buckets.
struct BinPlan {
  unsigned bucket_bits;  ///< log2 of the buckets in a bin
  std::uint64_t bins;    ///< bins that hold buckets
  unsigned bin_bits;     ///< bits of the largest bin number
  std::uint64_t staged;  ///< records of a bin that fit scratch
  std::uint64_t heavy;   ///< bins with more entries are partitioned once more
};

/// log2 of the most buckets per bin that a team counts. More would leave no scratch to stage
/// entries.
inline constexpr unsigned max_team_bucket_bits = 13;
/// log2 of the most buckets per bin in each engine.
template <bool Team>
inline constexpr unsigned max_bucket_bits = Team ? max_team_bucket_bits : 20;

/// Number of groups of eight 16-bit counters for the buckets of a bin.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::uint32_t counter_groups(
    unsigned bucket_bits) {
  return ((1U << bucket_bits) + 7) / 8;
}

/// Bytes of scratch for the counters of a team.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION constexpr std::size_t counter_bytes(
    unsigned bucket_bits) {
  return counter_groups(bucket_bits) * std::size_t{16};
}

/// Teams that finish bins, two of them on a multiprocessor. On an H200 four teams of 256 threads,
/// whose bins are half as large, take a tenth longer.
template <class Exec>
using FinishTeams = backends::BigTeams<Exec, 512, 2>;

/// Records of a bin that each thread of a team holds in registers: 96 bytes of them. More would
/// leave too few registers for two teams per multiprocessor.
template <class Record>
inline constexpr std::uint32_t held_of_bin = sizeof(Record) <= 8    ? 12
                                             : sizeof(Record) >= 96 ? 1
                                                                    : 96 / sizeof(Record);

/// Bytes of scratch for finishing a bin beside counters and entries: for the scan and for
/// alignment.
inline constexpr std::size_t finish_slack = backends::wide_team_scan_bytes + 32;

/// How many records of a bin may be staged in scratch.
///
///     team engine   entries, in what the counters of the bin leave free; may be 0
///     host engine   bucket numbers of 4 bytes, in 1/8 of a private cache
template <bool Team, class Layout, class Exec>
[[nodiscard]] std::uint64_t staged_entries([[maybe_unused]] const Exec& exec,
                                           [[maybe_unused]] unsigned bucket_bits) {
  if constexpr (Team) {
    const std::size_t scratch = FinishTeams<Exec>::scratch_limit(exec);
    const std::size_t counters = counter_bytes(bucket_bits) + finish_slack;
    return scratch > counters ? (scratch - counters) / sizeof(typename Layout::Entry) : 0;
  } else {
    return backends::private_cache_bytes() / 8 / sizeof(std::uint32_t);
  }
}

/// Chooses the bins. A bin holds 2^k buckets. Without a number asked for, k is the largest for
/// which the expected contents of a bin fit:
///
///     | engine | contents            | fit in                                       | largest k |
///     |--------|---------------------|----------------------------------------------|-----------|
///     | team   | entries             | 82 % of the scratch left beside the counters | 13        |
///     |        | records             | 67 % of what the team's registers hold       |           |
///     | host   | entries and offsets | 1/2 of a private cache                       | 20        |
///
/// On hosts k then decreases until a bin fits 1/8 of a private cache. It stops where the bins would
/// exceed half of what one pass can write, so that the pass's buffers do not fill the cache. The
/// records that are read meanwhile need room in the cache too. Measured with 2^25 keys on 2 cores
/// with 2 MiB each: 2048 bins in place of 512 take 8 % less time.
///
/// With a number asked for, k is the smallest that makes at most so many bins, within the same
/// largest k. A caller can lower the largest k further.
template <bool Team, class Layout, class Exec>
[[nodiscard]] BinPlan plan_bins(const Exec& exec, std::uint64_t num_keys, std::uint64_t num_buckets,
                                const std::optional<BinCount>& asked,
                                unsigned most_bits = max_bucket_bits<Team>) {
  using Entry = typename Layout::Entry;
  const double load = static_cast<double>(num_keys) / static_cast<double>(num_buckets);
  const auto fits = [&](unsigned bits, double share) {
    const double entries = load * static_cast<double>(std::uint64_t{1} << bits);
    if constexpr (Team) {
      using Record = typename Layout::Record;
      const auto held = FinishTeams<Exec>::threads * held_of_bin<Record>;
      return entries <= share * static_cast<double>(staged_entries<Team, Layout>(exec, bits)) &&
             entries <= 0.67 * static_cast<double>(held);
    } else {
      const auto offsets = static_cast<double>(sizeof(typename Layout::Index) << bits);
      return entries * sizeof(Entry) + offsets <=
             share * static_cast<double>(backends::private_cache_bytes());
    }
  };
  const unsigned most = std::min(most_bits, max_bucket_bits<Team>);
  unsigned bits = 0;
  if (asked) {
    const std::uint64_t per_bin = (num_buckets + asked->value() - 1) / asked->value();
    bits = std::min<unsigned>(static_cast<unsigned>(std::bit_width(per_bin - 1)), most);
  } else {
    while (bits < most && fits(bits + 1, Team ? 0.82 : 0.5)) ++bits;
    if constexpr (!Team) {
      const std::uint64_t pass_bins = std::uint64_t{1}
                                      << (max_level_bits<Exec, Entry, Team>(exec) - 1);
      while (bits > 0 && !fits(bits, 0.125) && (num_buckets - 1) >> (bits - 1) < pass_bins) --bits;
    }
  }
  BinPlan plan{};
  plan.bucket_bits = bits;
  plan.bins = ((num_buckets - 1) >> bits) + 1;
  plan.bin_bits = static_cast<unsigned>(std::bit_width(plan.bins - 1));
  // Staging has room for 1.5 times the expected entries. Keys that repeat 32 times spread that far.
  // More scratch would keep other teams off the multiprocessor.
  const double expected = load * static_cast<double>(std::uint64_t{1} << bits);
  plan.staged = std::min(staged_entries<Team, Layout>(exec, bits),
                         static_cast<std::uint64_t>(1.5 * expected) + 256);
  const std::uint64_t threads = backends::concurrent_teams(exec);
  plan.heavy = Team ? std::max<std::uint64_t>(1, std::min<std::uint64_t>(4 * plan.staged, 65535))
                    : std::max<std::uint64_t>(std::uint64_t{1} << 20, num_keys / (8 * threads));
  return plan;
}

/// How a table is built through bins: which, and in how many passes rows get there.
struct BuildPlan {
  BinPlan bins;
  LevelPlan levels;
};
template <bool Team, class Layout, class Exec>
[[nodiscard]] BuildPlan plan_build(const Exec& exec, std::uint64_t num_keys,
                                   std::uint64_t num_buckets,
                                   const std::optional<BinCount>& asked) {
  const BinPlan bins = plan_bins<Team, Layout>(exec, num_keys, num_buckets, asked);
  return {bins,
          LevelPlan(bins.bin_bits, max_level_bits<Exec, typename Layout::Record, Team>(exec))};
}

}  // namespace hashmill::detail
