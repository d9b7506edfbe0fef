#pragma once

#include <hashmill/tag_bucket/detail/range_plan.hpp>
#include <hashmill/tag_bucket/detail/writer.hpp>

namespace hashmill::detail {

/// What became of rows: the number of slots filled and reused, and of rows left over.
struct TagTally {
  std::uint64_t filled = 0;
  std::uint64_t reused = 0;
  std::uint64_t left = 0;  // rows that overflowed their range

  KOKKOS_FORCEINLINE_FUNCTION void add(SlotOutcome outcome) {
    filled += outcome == SlotOutcome::filled ? 1 : 0;
    reused += outcome == SlotOutcome::reused ? 1 : 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void add(const TagTally& more) {
    filled += more.filled;
    reused += more.reused;
    left += more.left;
  }
};

/// Inserts the records of each range, one thread per range. Where teams insert them, a thread does
/// what is left in later rounds.
///
///     round 0   inserts the records of the range there, each beginning at its home bucket
///     round r   inserts the records that overflowed a range into the r-th range after it
///
/// Records that overflow are gathered at the front of the records of the range. The first range
/// follows the last. In each round only one thread changes a range.
template <class Exec, class Writer, OnSameKey Same>
struct InsertIntoRanges {
  using value_type = TagTally;
  using Record = typename Writer::Record;
  using Offset = SecondOf<Record>;
  static constexpr unsigned in_flight = 32;

  Writer writer;
  TagRangePlan plan;
  Record* records;
  const Offset* offsets;
  Offset* left;
  std::uint64_t round;
  bool fresh;  // the buckets are not initialised yet

  KOKKOS_FUNCTION void init(TagTally& tally) const { tally = {}; }
  KOKKOS_FUNCTION void join(TagTally& tally, const TagTally& more) const { tally.add(more); }

  KOKKOS_FUNCTION void operator()(std::int64_t index, TagTally& total) const {
    const auto range = static_cast<std::uint64_t>(index);
    const std::uint64_t target =
        range + round < plan.ranges ? range + round : range + round - plan.ranges;
    if (fresh) {
      for (std::uint64_t b = plan.first_bucket(target); b < plan.end_bucket(target); ++b) {
        writer.buckets[b].clear();
      }
    }
    const Offset begin = offsets[range];
    std::uint64_t count = round == 0 ? offsets[range + 1] - begin : left[range];
    if (count > plan.quota) count = plan.quota;
    TagTally tally;
    if constexpr (backends::has_wide_teams<Exec>) {
      for (std::uint64_t i = 0; i < count; ++i) {
        const Record record = records[begin + i];
        const std::uint64_t hash = writer.hash(record);
        place(record, hash, writer.ref.home_of_hash(hash), begin, target, tally);
      }
    } else {
      insert_in_blocks(begin, count, target, tally);
    }
    left[range] = static_cast<Offset>(tally.left);
    join(total, tally);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void place(const Record& record, std::uint64_t hash,
                                         std::uint64_t home, Offset begin, std::uint64_t target,
                                         TagTally& tally) const {
    const std::uint64_t from = round == 0 ? home : plan.first_bucket(target);
    const SlotOutcome outcome =
        writer.template insert<Same>(record, hash, from, plan.end_bucket(target));
    if (outcome == SlotOutcome::no_room) records[begin + tally.left++] = record;
    tally.add(outcome);
  }

  /// On hosts. Most records find an empty slot and no equal tag, and are inserted first. The
  /// others, which compare keys, come later, when those keys have been prefetched. Rows with one
  /// key have one tag, so they keep their order.
  void insert_in_blocks(Offset begin, std::uint64_t count, std::uint64_t target,
                        TagTally& total) const {
    TagTally tally = total;  // kept in registers
    Record held[in_flight];
    std::uint64_t hashes[in_flight], homes[in_flight];
    std::uint32_t later[in_flight];
    for (std::uint64_t done = 0; done < count; done += in_flight) {
      const auto n = static_cast<unsigned>(count - done < in_flight ? count - done : in_flight);
      for (unsigned j = 0; j < n; ++j) held[j] = records[begin + done + j];
      for (unsigned j = 0; j < n; ++j) hashes[j] = writer.hash(held[j]);
      for (unsigned j = 0; j < n; ++j) homes[j] = writer.ref.home_of_hash(hashes[j]);
      if (!fresh) {
        for (unsigned j = 0; j < n; ++j) backends::prefetch(writer.buckets + homes[j]);
      }
      unsigned waiting = 0;
      for (unsigned j = 0; j < n; ++j) {
        const bool filled =
            round == 0 && writer.template fill_at_once<Same>(held[j], hashes[j], homes[j]);
        tally.filled += filled ? 1 : 0;
        later[waiting] = j;
        waiting += filled ? 0 : 1;
      }
      for (unsigned w = 0; w < waiting; ++w) {
        const unsigned j = later[w];
        place(held[j], hashes[j], homes[j], begin, target, tally);
      }
    }
    total = tally;
  }
};

}  // namespace hashmill::detail
