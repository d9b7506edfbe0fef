#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/concurrent_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <hashmill/row.hpp>

#include "host_entries.hpp"

namespace hashmill::perf {

/// Peer: boost::concurrent_flat_map from key to one of its rows, which all threads of `Exec` insert
/// into, erase from and look up in. Look-ups are its bulk visitation, which has the memory of
/// several queries under way at once.
template <class Exec, class Key>
class BoostConcurrentFlatMap {
 public:
  static constexpr bool keeps_duplicates = false;
  static constexpr std::uint64_t bytes_a_key = 64;

  template <class Keys>
  BoostConcurrentFlatMap(const Exec& exec, const Keys& keys) {
    map_.reserve(keys.size());
    insert(exec, keys, 0);
  }

  /// Inserts keys whose rows are numbered from `first_row`.
  template <class Keys>
  void insert(const Exec& exec, const Keys& keys, std::uint64_t first_row) {
    for_each(exec, keys.size(), [&](std::uint64_t i) {
      map_.try_emplace(keys(i), static_cast<std::uint32_t>(first_row + i));
    });
  }

  template <class Keys>
  void erase(const Exec& exec, const Keys& keys) {
    for_each(exec, keys.size(), [&](std::uint64_t i) { map_.erase(keys(i)); });
  }

  void clear(const Exec&) { map_.clear(); }

  std::uint64_t size(const Exec&) const { return map_.size(); }

  template <class Keys, class Rows>
  void find(const Exec& exec, const Keys& queries, const Rows& rows) const {
    const std::uint64_t num_blocks = (queries.size() + block - 1) / block;
    for_each(exec, num_blocks, [&](std::uint64_t number) {
      const std::uint64_t first = number * block;
      const std::uint64_t count = std::min<std::uint64_t>(block, queries.size() - first);
      find_block(queries.data() + first, count, rows.data() + first);
    });
  }

  template <class Keys>
  Tally tally_entries(const Exec&, const Keys& keys) const {
    Tally sum;
    map_.cvisit_all([&](const auto& entry) {
      sum.add(key_weight(entry.first));
      if (entry.second >= keys.size() || !(keys(entry.second) == entry.first)) ++sum.faults;
    });
    return sum;
  }

 private:
  using Map = boost::concurrent_flat_map<Key, std::uint32_t, OwnHash<Key, boost::hash<Key>>,
                                         std::equal_to<>>;
  static constexpr std::uint64_t block = Map::bulk_visit_size;

  template <class Body>
  static void for_each(const Exec& exec, std::uint64_t count, const Body& body) {
    Kokkos::parallel_for("hashmill::perf::BoostConcurrentFlatMap",
                         Kokkos::RangePolicy<Exec, std::uint64_t>(exec, 0, count), body);
    exec.fence("hashmill::perf::BoostConcurrentFlatMap: done");
  }

  /// Finds one block of queries. The map visits what it finds in the order of the keys asked for,
  /// without saying which key that was: those between are not there.
  void find_block(const Key* queries, std::uint64_t count, std::uint32_t* rows) const {
    std::uint64_t next = 0;
    map_.cvisit(queries, queries + count, [&](const auto& entry) {
      while (next < count && !(queries[next] == entry.first)) rows[next++] = no_row<std::uint32_t>;
      if (next < count) rows[next++] = entry.second;
    });
    while (next < count) rows[next++] = no_row<std::uint32_t>;
  }

  Map map_;
};

}  // namespace hashmill::perf
