#pragma once

#include <cstdint>
#include <hashmill/backends/memory_cache.hpp>
#include <hashmill/error.hpp>
#include <string>

namespace hashmill::perf {

/// Throws `CapacityError` unless `bytes` of `MemorySpace` are free: hosts hand out memory that they
/// do not have.
template <class MemorySpace>
void require_free_memory(std::uint64_t bytes, const std::string& what) {
  const std::uint64_t available = backends::free_bytes<MemorySpace>();
  if (bytes > available) {
    throw CapacityError(what + ": " + std::to_string(bytes >> 20) + " MiB needed, " +
                            std::to_string(available >> 20) + " MiB free",
                        bytes, available);
  }
}

}  // namespace hashmill::perf
