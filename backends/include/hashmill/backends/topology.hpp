#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace hashmill::backends {

/// One level of the data caches. Where instances differ (cores of several kinds) it is the one with
/// the smallest share per core.
struct CacheLevel {
  unsigned level;
  std::uint64_t bytes;  ///< of one instance
  unsigned cores;       ///< sharing one instance
};

/// A NUMA node: memory, and the cores next to it that this process may use.
struct NumaNode {
  unsigned index;                 ///< as the operating system numbers it
  std::uint64_t memory_bytes;     ///< of the node alone; 0 where unknown
  unsigned cores;                 ///< with at least one hardware thread that may be used
  std::vector<unsigned> threads;  ///< hardware threads, as the operating system numbers them
};

/// What this process may use of a machine: nodes with threads, and the caches between cores and
/// memory.
///
/// Memory without cores next to it is left out, and so is a second kind of memory beside the same
/// cores. Threads next to memory that is not allowed count towards the first node.
struct Topology {
  std::string source;              ///< where this came from, in words
  std::vector<NumaNode> nodes;     ///< at least one, in the order of their threads
  std::vector<CacheLevel> caches;  ///< from the cores outwards; may be empty

  /// Cores of all nodes.
  [[nodiscard]] unsigned num_cores() const {
    unsigned sum = 0;
    for (const NumaNode& node : nodes) sum += node.cores;
    return sum;
  }
  /// Hardware threads of all nodes.
  [[nodiscard]] unsigned num_threads() const {
    std::size_t sum = 0;
    for (const NumaNode& node : nodes) sum += node.threads.size();
    return static_cast<unsigned>(sum);
  }

  /// Bytes of the cache that a core has to itself: its share of level 2, or of level 1 where there
  /// is no other. 1 MiB where the machine does not tell.
  [[nodiscard]] std::uint64_t private_cache_bytes() const {
    std::uint64_t bytes = 0;
    for (const CacheLevel& cache : caches) {
      if (cache.level <= 2) bytes = cache.bytes / std::max(1U, cache.cores);
    }
    return bytes != 0 ? bytes : std::uint64_t{1} << 20;
  }

  /// The most bytes of the last cache on which one core can rely; servers have that many (EPYC 4
  /// MiB, Xeon 2 to 7). A virtual machine with few cores may report the cache that all cores of the
  /// machine share. One reported 480 MiB for two cores: joins were then treated as if they fitted
  /// the cache, and took half as long again.
  static constexpr std::uint64_t shared_bytes_a_core = std::uint64_t{4} << 20;

  /// Bytes of one instance of the last cache before memory on which its cores can rely; not less
  /// than a core's own cache.
  [[nodiscard]] std::uint64_t last_level_cache_bytes() const {
    if (caches.empty()) return private_cache_bytes();
    const CacheLevel& last = caches.back();
    return std::max(std::min(last.bytes, shared_bytes_a_core * std::max(1U, last.cores)),
                    private_cache_bytes());
  }
};

}  // namespace hashmill::backends
