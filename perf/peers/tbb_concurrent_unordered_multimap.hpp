#pragma once

#include <oneapi/tbb/concurrent_unordered_map.h>

#include <cstdint>

#include "host_map.hpp"
#include "tbb_threads.hpp"

namespace hashmill::perf {

template <class Exec, class Key>
class TbbConcurrentUnorderedMultimap
    : public HostMap<Exec,
                     oneapi::tbb::concurrent_unordered_multimap<Key, std::uint32_t, PeerHash<Key>>,
                     true, TbbThreads> {
 public:
  using TbbConcurrentUnorderedMultimap::HostMap::HostMap;
};

}  // namespace hashmill::perf
