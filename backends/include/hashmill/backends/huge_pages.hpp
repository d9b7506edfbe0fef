#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hashmill::backends {

/// Asks the system to back host memory that was not touched yet by huge pages: random accesses then
/// miss the address translation caches far less often. A hint; Linux follows it where
/// /sys/kernel/mm/transparent_hugepage/enabled says `madvise` or `always`.
template <class MemorySpace>
void advise_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::uint64_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr bool host = std::is_same_v<MemorySpace, Kokkos::HostSpace>;
  constexpr std::uint64_t page = std::uint64_t{2} << 20;
  if (!host || bytes < 2 * page) return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace hashmill::backends
