#pragma once

#include <oneapi/tbb/concurrent_hash_map.h>

#include <cstdint>
#include <hashmill/row.hpp>

#include "host_map.hpp"
#include "tbb_threads.hpp"

namespace hashmill::perf {

/// How oneTBB's concurrent_hash_map hashes and compares.
template <class Key>
struct TbbHashCompare {
  std::size_t hash(const Key& key) const { return PeerHash<Key>{}(key); }
  bool equal(const Key& a, const Key& b) const { return a == b; }
};

/// oneTBB's concurrent_hash_map with the members that HostMap calls. Whoever looks at an element
/// holds a lock of it.
template <class Key>
class TbbHashMap
    : public oneapi::tbb::concurrent_hash_map<Key, std::uint32_t, TbbHashCompare<Key>> {
  using Base = oneapi::tbb::concurrent_hash_map<Key, std::uint32_t, TbbHashCompare<Key>>;

 public:
  /// The row of a key; `no_row` without any.
  std::uint32_t row_of(const Key& key) const {
    typename Base::const_accessor found;
    return Base::find(found, key) ? found->second : no_row<std::uint32_t>;
  }
};

template <class Exec, class Key>
class TbbConcurrentHashMap : public HostMap<Exec, TbbHashMap<Key>, false, TbbThreads> {
 public:
  using TbbConcurrentHashMap::HostMap::HostMap;
};

}  // namespace hashmill::perf
