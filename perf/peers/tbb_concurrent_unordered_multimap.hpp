#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/concurrent_unordered_map.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdint>
#include <hashmill/row.hpp>

#include "host_entries.hpp"

namespace hashmill::perf {

/// Peer: oneTBB's concurrent_unordered_multimap from key to row, on as many threads as the
/// execution space has.
template <class Exec, class Key>
class TbbConcurrentUnorderedMultimap {
 public:
  static constexpr bool keeps_duplicates = true;
  static constexpr std::uint64_t bytes_a_key = 64;

  template <class Keys>
  TbbConcurrentUnorderedMultimap(const Exec& exec, const Keys& keys) : map_(keys.size()) {
    insert(exec, keys, 0);
  }

  /// Inserts keys whose rows are numbered from `first_row`.
  template <class Keys>
  void insert(const Exec& exec, const Keys& keys, std::uint64_t first_row) {
    for_each_index(exec, keys.size(), [&](std::uint64_t i) {
      map_.emplace(keys(i), static_cast<std::uint32_t>(first_row + i));
    });
  }

  void clear(const Exec&) { map_.clear(); }

  template <class Keys, class Rows>
  void find(const Exec& exec, const Keys& queries, const Rows& rows) const {
    for_each_index(exec, queries.size(), [&](std::uint64_t i) {
      const auto found = map_.find(queries(i));
      rows(i) = found == map_.end() ? no_row<std::uint32_t> : found->second;
    });
  }

  template <class Keys, class Counts>
  void count(const Exec& exec, const Keys& queries, const Counts& counts) const {
    for_each_index(exec, queries.size(),
                   [&](std::uint64_t i) { counts(i) = map_.count(queries(i)); });
  }

  template <class Keys>
  Tally tally_entries(const Exec&, const Keys& keys) const {
    return tally_host_entries<keeps_duplicates>(map_, keys);
  }

 private:
  template <class Body>
  static void for_each_index(const Exec& exec, std::uint64_t count, const Body& body) {
    oneapi::tbb::task_arena arena(exec.concurrency());
    arena.execute([&] {
      oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::uint64_t>(0, count),
                                [&](const auto& range) {
                                  for (std::uint64_t i = range.begin(); i != range.end(); ++i)
                                    body(i);
                                });
    });
  }

  oneapi::tbb::concurrent_unordered_multimap<Key, std::uint32_t, PeerHash<Key>> map_;
};

}  // namespace hashmill::perf
