#pragma once

#include <hashmill/detail/lookup.hpp>
#include <hashmill/tag_bucket_ref.hpp>

namespace hashmill::detail {

/// Look-ups on hosts, as an assembly line over a block of queries: the bucket of one query is asked
/// for, the tags of another, whose bucket has come, tell which of the caller's keys to ask for, and
/// a third, whose key has come, is answered. Memory always has work, of both kinds.
template <class Ref, class Queries, class Each>
struct TagQueryLine {
  using Key = typename Ref::key_type;
  static constexpr std::uint64_t block = 1024;
  /// Queries between asking for a line and using it.
  static constexpr std::uint64_t distance = 24;

  Ref ref;
  Queries queries;
  Each each;

  void operator()(const std::int64_t index) const {
    const std::uint64_t first = static_cast<std::uint64_t>(index) * block;
    const std::uint64_t n = std::min<std::uint64_t>(block, queries.size() - first);
    std::uint64_t hashes[block];
    for (std::uint64_t i = 0; i < n; ++i) {
      const Key key = queries(first + i);
      hashes[i] = ref.hasher()(key);
    }
    const auto ask_bucket = [&](std::uint64_t i) { ref.prefetch_bucket(hashes[i]); };
    const auto ask_key = [&](std::uint64_t i) { ref.prefetch_candidate(hashes[i]); };
    const auto answer = [&](std::uint64_t i) {
      each(first + i, HashedKey<Key>{queries(first + i), hashes[i]});
    };
    const std::uint64_t early = std::min(2 * distance, n);
    for (std::uint64_t i = 0; i < early; ++i) ask_bucket(i);
    for (std::uint64_t i = 0; i < std::min(distance, n); ++i) ask_key(i);
    std::uint64_t i = 0;
    for (; i + 2 * distance < n; ++i) {
      ask_bucket(i + 2 * distance);
      ask_key(i + distance);
      answer(i);
    }
    for (; i < n; ++i) {
      if (i + distance < n) ask_key(i + distance);
      answer(i);
    }
  }
};

/// What bulk look-ups run for a TagBucket: found by overload resolution.
template <class Exec, class Key, class Row, class Hash, class Equal, class Keys, class Queries,
          class Each>
void for_each_query(const char* label, const Exec& exec,
                    const TagBucketRef<Key, Row, Hash, Equal, Keys>& ref, const Queries& queries,
                    const Each& each) {
  const std::uint64_t n = queries.size();
  if constexpr (backends::has_wide_teams<Exec>) {
    Kokkos::parallel_for(label, backends::range(exec, n),
                         DeviceQuery<Queries, Each>{queries, each});
  } else {
    using Line = TagQueryLine<TagBucketRef<Key, Row, Hash, Equal, Keys>, Queries, Each>;
    Kokkos::parallel_for(label, backends::range(exec, (n + Line::block - 1) / Line::block),
                         Line{ref, queries, each});
  }
}

}  // namespace hashmill::detail
