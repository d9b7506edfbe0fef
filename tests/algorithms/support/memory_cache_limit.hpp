#pragma once

#include <cstdint>
#include <hashmill/backends/memory_cache.hpp>

#include "views.hpp"

namespace hashmill::test {

/// While it lives, the caches of all memory spaces keep `bytes` bytes at most. They are empty at
/// its beginning and at its end.
class MemoryCacheLimit {
 public:
  explicit MemoryCacheLimit(std::uint64_t bytes = 0) {
    trim();
    set_memory_cache_limit<Kokkos::HostSpace>(bytes);
    set_memory_cache_limit<Memory>(bytes);
  }
  ~MemoryCacheLimit() {
    trim();
    set_memory_cache_limit<Kokkos::HostSpace>(host_);
    if (!is_host) set_memory_cache_limit<Memory>(other_);
  }
  MemoryCacheLimit(const MemoryCacheLimit&) = delete;
  MemoryCacheLimit& operator=(const MemoryCacheLimit&) = delete;

 private:
  static constexpr bool is_host = std::is_same_v<Memory, Kokkos::HostSpace>;

  static void trim() {
    trim_memory<Kokkos::HostSpace>();
    trim_memory<Memory>();
  }

  std::uint64_t host_ = memory_cache_limit<Kokkos::HostSpace>();
  std::uint64_t other_ = memory_cache_limit<Memory>();
};

}  // namespace hashmill::test
