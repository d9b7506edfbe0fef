#pragma once

#include <hashmill/backends/execution.hpp>
#include <hashmill/tag_bucket/options.hpp>
#include <hashmill/tag_bucket/ref.hpp>

namespace hashmill::detail {

/// What a pass over all buckets and keys finds.
struct BucketSurvey {
  std::uint64_t full_buckets = 0;
  std::uint64_t longest_probe = 0;
};

/// The numbers of slots in use.
struct TagSlotCounts {
  std::uint64_t keys = 0;
  std::uint64_t tombstones = 0;
};

/// Counts the keys and tombstones of a bucket.
struct CountTagSlots {
  using value_type = TagSlotCounts;
  const TagBucketSlots* buckets;

  KOKKOS_FUNCTION void init(TagSlotCounts& counts) const { counts = {}; }
  KOKKOS_FUNCTION void join(TagSlotCounts& counts, const TagSlotCounts& more) const {
    counts.keys += more.keys;
    counts.tombstones += more.tombstones;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t b, TagSlotCounts& counts) const {
    const backends::TagGroup group(buckets[b].tags);
    counts.keys += static_cast<std::uint64_t>(Kokkos::popcount(buckets[b].occupied()));
    counts.tombstones += static_cast<std::uint64_t>(Kokkos::popcount(group.match(tombstone_tag)));
  }
};

/// Finds whether a bucket is full, and how far its keys are from home.
template <class Ref>
struct SurveyBuckets {
  using value_type = BucketSurvey;
  Ref ref;

  KOKKOS_FUNCTION void init(BucketSurvey& survey) const { survey = {}; }
  KOKKOS_FUNCTION void join(BucketSurvey& survey, const BucketSurvey& more) const {
    survey.full_buckets += more.full_buckets;
    if (more.longest_probe > survey.longest_probe) survey.longest_probe = more.longest_probe;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t b, BucketSurvey& survey) const {
    const auto bucket = static_cast<std::uint64_t>(b);
    const TagBucketSlots& slots = ref.slots(bucket);
    survey.full_buckets += backends::TagGroup(slots.tags).match(empty_tag) == 0 ? 1 : 0;
    for (std::uint32_t left = slots.occupied(); left != 0; left &= left - 1) {
      const std::uint64_t row = ref.row_in(slots, backends::lowest_bit(left));
      const std::uint64_t home = ref.home_of_hash(ref.hasher()(ref.keys()(row - ref.row_base())));
      const std::uint64_t probes = ref.distance(home, bucket) + 1;
      if (probes > survey.longest_probe) survey.longest_probe = probes;
    }
  }
};

/// Reads every bucket and key. Waits for `exec`.
template <class Exec, class Ref>
BucketSurvey survey_buckets(const Exec& exec, const Ref& ref) {
  BucketSurvey survey;
  Kokkos::parallel_reduce("hashmill::tag_bucket::statistics",
                          backends::range(exec, ref.num_buckets()), SurveyBuckets<Ref>{ref},
                          survey);
  return survey;
}

}  // namespace hashmill::detail
