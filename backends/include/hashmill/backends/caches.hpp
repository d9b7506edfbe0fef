#pragma once

#include <unistd.h>

#include <cstddef>

namespace hashmill::backends {

/// Bytes of the cache that one host thread has to itself (its level-2 cache); 1 MiB where the
/// system does not tell. Bins of work are sized so that they stay in half of it.
[[nodiscard]] inline std::size_t private_cache_bytes() {
#ifdef _SC_LEVEL2_CACHE_SIZE
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return static_cast<std::size_t>(bytes);
#endif
  return std::size_t{1} << 20;
}

/// Bytes of the last cache before memory; output that exceeds it is worth streaming past it.
[[nodiscard]] inline std::size_t last_level_cache_bytes() {
#ifdef _SC_LEVEL3_CACHE_SIZE
  const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (bytes > 0) return static_cast<std::size_t>(bytes);
#endif
  return private_cache_bytes();
}

}  // namespace hashmill::backends
