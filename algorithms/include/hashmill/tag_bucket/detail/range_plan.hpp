#pragma once

#include <hashmill/backends/big_teams.hpp>
#include <hashmill/backends/caches.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/team_scan.hpp>
#include <hashmill/partition/detail/levels.hpp>
#include <hashmill/tag_bucket/detail/slots.hpp>

namespace hashmill::detail {

/// A bucket in team scratch. Threads that each have a bucket read its tags in one access of 16
/// bytes. With these 16 bytes between buckets, eight neighbours reach all banks of scratch.
struct StagedTagBucket {
  TagBucketSlots slots;
  std::uint64_t gap[2];
};
static_assert(sizeof(StagedTagBucket) == sizeof(TagBucketSlots) + 16);

/// Teams that insert records into a range of buckets. Each of their steps waits for memory or
/// scratch, so a multiprocessor should have three of them.
template <class Exec>
using TagTeams = backends::BigTeams<Exec, 512, 3>;

/// What a team holds in scratch while it inserts records into a range of buckets: all buckets of
/// the range, some of its records at a time, and two counters for each bucket.
///
///     | teams      | buckets           | records            | in all       |
///     |------------|-------------------|--------------------|--------------|
///     | wide       | 256, 36,864 bytes | 8192 bytes of them | 46.4 KiB     |
///     | one thread | 32, 4608 bytes    | 2048 bytes of them | 7.1 KiB      |
///
/// The records are those that their home buckets have no room for. A team takes up to `round` of
/// all its records at a time, so that those of a half-full range are one round. Teams of one thread
/// exist in tests only.
template <class Exec, class Record>
struct TagStage {
  using Teams = TagTeams<Exec>;
  static constexpr bool wide = backends::has_wide_teams<Exec>;
  static constexpr unsigned bucket_bits = wide ? 8 : 5;
  static constexpr std::uint32_t buckets = std::uint32_t{1} << bucket_bits;
  static constexpr std::uint32_t bytes_of_records = wide ? 8192 : 2048;
  static constexpr std::uint32_t records = bytes_of_records / sizeof(Record);
  static constexpr std::uint32_t few = 16;  ///< records that are not worth the work of a team
  static constexpr unsigned items = 5;      ///< records that a thread takes in a round
  static constexpr std::uint32_t round = Teams::threads * items;
  /// The most rows that a team inserts: 5/4 of the slots of its range. Only frequent keys make more
  /// of them, as at most 7/8 of all slots are taken. One thread would link those rows one by one.
  static constexpr std::uint64_t quota = std::uint64_t{tag_bucket_slots} * buckets * 5 / 4;
  static_assert(round * sizeof(std::uint16_t) <= records * sizeof(Record));

  /// What lies in scratch. It is one piece, so that a thread keeps one address.
  struct alignas(16) Memory {
    StagedTagBucket held[buckets];
    Record stage[records];
    Record few[TagStage::few];      // the first records that their home buckets have no room for
    std::uint32_t places[buckets];  // empty slots; then where the records of a bucket are staged
    std::uint32_t counts[buckets];  // records of a bucket; then those that are left of a block
    std::uint32_t alike[2];         // slots listed in this round, and in the one before
    std::uint32_t over;             // records that their home buckets have no room for
    std::uint32_t found;            // rows whose keys were there
    std::uint32_t reused;           // slots reused
  };

  [[nodiscard]] static constexpr std::size_t bytes() {
    constexpr std::size_t alignment = 32;
    return sizeof(Memory) + backends::wide_team_scan_bytes + alignment;
  }
};

/// How the buckets of a table are cut into ranges of 2^bucket_bits. While rows are inserted one
/// thread or team owns each range, so nothing needs to be atomic.
struct TagRangePlan {
  unsigned bucket_bits;
  std::uint64_t ranges;
  std::uint64_t num_buckets;
  std::uint64_t quota;  ///< most rows per range and round; only a few frequent keys exceed it
  bool staged;          ///< teams insert rows, into buckets in their scratch
  static constexpr std::uint64_t no_quota = ~std::uint64_t{0};

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t first_bucket(std::uint64_t range) const {
    return range << bucket_bits;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t end_bucket(std::uint64_t range) const {
    const std::uint64_t end = (range + 1) << bucket_bits;
    return end < num_buckets ? end : num_buckets;
  }
};

/// Whether teams should bring whole ranges of buckets into their scratch. That moves 256 bytes per
/// bucket, or 128 if the bucket is `fresh`. A row that is inserted where its bucket lies moves
/// about 100. So there must be a row for each bucket, unless the buckets must be written anyway.
template <class Record, class Exec>
[[nodiscard]] bool pays_to_stage(const Exec& exec, std::uint64_t rows, std::uint64_t num_buckets,
                                 bool fresh) {
  return (fresh || rows >= num_buckets) &&
         TagStage<Exec, Record>::bytes() <= TagTeams<Exec>::scratch_limit(exec);
}

/// Chooses the ranges. `fresh`: the buckets are not initialised yet.
///
///     teams     as many buckets as a team stages, where it pays; quota 5/4 of their slots
///     devices   about 32 rows per range, so that there are many threads; quota 4096 rows
///     hosts     up to half of a private cache per range, less if that makes fewer than 4 ranges
///               per thread; then larger until there are at most rows / 64 + 1; no quota
template <Engine Choice, class Record, class Exec>
[[nodiscard]] TagRangePlan plan_tag_ranges(const Exec& exec, std::uint64_t rows,
                                           std::uint64_t num_buckets, bool fresh) {
  unsigned bits = 0;
  const auto ranges = [&](unsigned b) { return ((num_buckets - 1) >> b) + 1; };
  std::uint64_t quota = TagRangePlan::no_quota;
  if constexpr (uses_team_engine<Exec, Choice>) {
    using Stage = TagStage<Exec, Record>;
    if (pays_to_stage<Record>(exec, rows, num_buckets, fresh)) {
      return {Stage::bucket_bits, ranges(Stage::bucket_bits), num_buckets, Stage::quota, true};
    }
  }
  if constexpr (backends::has_wide_teams<Exec>) {
    while (ranges(bits) > 1 && ranges(bits) > rows / 32 + 1) ++bits;
    quota = 4096;
  } else {
    const std::uint64_t threads = backends::concurrent_teams(exec);
    const std::uint64_t most = backends::private_cache_bytes() / 2 / sizeof(TagBucketSlots);
    while ((std::uint64_t{2} << bits) <= most && ranges(bits) > 4 * threads) ++bits;
    while (ranges(bits) > rows / 64 + 1) ++bits;
  }
  return {bits, ranges(bits), num_buckets, quota, false};
}

/// The range that a record belongs to.
template <class Writer>
struct TagRangeOf {
  Writer writer;
  unsigned bucket_bits;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(
      const typename Writer::Record& record) const {
    return writer.ref.home_of_hash(writer.hash(record)) >> bucket_bits;
  }
};

}  // namespace hashmill::detail
