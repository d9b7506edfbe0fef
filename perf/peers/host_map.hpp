#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/row.hpp>
#include <unordered_map>

#ifdef HASHMILL_PERF_HAS_ABSL
#include <absl/container/flat_hash_map.h>
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
#include <boost/unordered/unordered_flat_map.hpp>
#endif

#include "host_entries.hpp"

namespace hashmill::perf {

/// How a container that only one thread may change is used, which the names of its rows say: as
/// many look up as `Exec` has.
struct OneThreadInserts {
  template <class Map>
  static void reserve(Map& map, std::uint64_t count) {
    map.reserve(count);
  }
  template <class Exec, class Body>
  static void change(const Exec&, std::uint64_t count, const Body& body) {
    for (std::uint64_t i = 0; i < count; ++i) body(i);
  }
  template <class Exec, class Body>
  static void look_up(const Exec& exec, std::uint64_t count, const Body& body) {
    Kokkos::parallel_for("hashmill::perf::HostMap",
                         Kokkos::RangePolicy<Exec, std::uint64_t>(exec, 0, count), body);
    exec.fence("hashmill::perf::HostMap: looked up");
  }
};

/// Peer: a container `Map` from key to row, with the threads that `Threads` lets it have.
template <class Exec, class Map, bool KeepsDuplicates, class Threads = OneThreadInserts>
class HostMap {
  using Key = typename Map::key_type;

 public:
  static constexpr bool keeps_duplicates = KeepsDuplicates;
  static constexpr std::uint64_t bytes_a_key = 64;

  template <class Keys>
  HostMap(const Exec& exec, const Keys& keys) {
    Threads::reserve(map_, keys.size());
    insert(exec, keys, 0);
  }

  /// Inserts keys whose rows are numbered from `first_row`.
  template <class Keys>
  void insert(const Exec& exec, const Keys& keys, std::uint64_t first_row) {
    Threads::change(exec, keys.size(), [&](std::uint64_t i) {
      map_.emplace(keys(i), static_cast<std::uint32_t>(first_row + i));
    });
  }

  template <class Keys>
  void erase(const Exec& exec, const Keys& keys) {
    Threads::change(exec, keys.size(), [&](std::uint64_t i) { map_.erase(keys(i)); });
  }

  void clear(const Exec&) { map_.clear(); }

  std::uint64_t size(const Exec&) const { return map_.size(); }

  template <class Keys, class Rows>
  void find(const Exec& exec, const Keys& queries, const Rows& rows) const {
    Threads::look_up(exec, queries.size(), [&](std::uint64_t i) { rows(i) = row_of(queries(i)); });
  }

  template <class Keys, class Counts>
  void count(const Exec& exec, const Keys& queries, const Counts& counts) const {
    Threads::look_up(exec, queries.size(),
                     [&](std::uint64_t i) { counts(i) = map_.count(queries(i)); });
  }

  template <class Keys>
  Tally tally_entries(const Exec&, const Keys& keys) const {
    return tally_host_entries<keeps_duplicates>(map_, keys);
  }

 private:
  /// The row of a key; `no_row` without any.
  std::uint32_t row_of(const Key& key) const {
    if constexpr (requires { map_.row_of(key); }) {
      return map_.row_of(key);
    } else {
      const auto found = map_.find(key);
      return found == map_.end() ? no_row<std::uint32_t> : found->second;
    }
  }

  Map map_;
};

template <class Exec, class Key>
class StdUnorderedMultimap
    : public HostMap<Exec, std::unordered_multimap<Key, std::uint32_t, PeerHash<Key>>, true> {
 public:
  using StdUnorderedMultimap::HostMap::HostMap;
};

#ifdef HASHMILL_PERF_HAS_ABSL
template <class Exec, class Key>
class AbslFlatHashMap
    : public HostMap<
          Exec,
          absl::flat_hash_map<Key, std::uint32_t, OwnHash<Key, absl::Hash<Key>>, std::equal_to<>>,
          false> {
 public:
  using AbslFlatHashMap::HostMap::HostMap;
};
#endif

#ifdef HASHMILL_PERF_HAS_BOOST
template <class Exec, class Key>
class BoostUnorderedFlatMap
    : public HostMap<Exec,
                     boost::unordered_flat_map<Key, std::uint32_t, OwnHash<Key, boost::hash<Key>>,
                                               std::equal_to<>>,
                     false> {
 public:
  using BoostUnorderedFlatMap::HostMap::HostMap;
};
#endif

}  // namespace hashmill::perf
