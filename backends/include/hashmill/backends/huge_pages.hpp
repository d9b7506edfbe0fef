#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hashmill::backends {

/// Bytes of a huge page of the kind that Linux provides without being set up for it.
inline constexpr std::uint64_t huge_page_bytes = std::uint64_t{2} << 20;

/// The pages that lie entirely within an array.
struct PageRange {
  void* data;
  std::uint64_t bytes;
};

/// The pages of `page` bytes that lie entirely within an array; none if there is no whole page.
[[nodiscard]] inline PageRange whole_pages(void* data, std::uint64_t bytes, std::uint64_t page) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + bytes) / page * page;
  return {static_cast<char*>(data) + (begin - address), begin < end ? end - begin : 0};
}

/// For arrays of at least this many bytes malloc maps new memory, unless it holds a freed block
/// that is long enough (glibc's greatest M_MMAP_THRESHOLD).
inline constexpr std::uint64_t newly_mapped_bytes = std::uint64_t{32} << 20;

/// Asks the system to back host memory by huge pages, so that random accesses miss the address
/// translation caches far less often. This is a hint: Linux follows it where
/// /sys/kernel/mm/transparent_hugepage/enabled says `madvise` or `always`.
///
/// The contents are lost where there are `newly_mapped_bytes` or more. Malloc may have kept
/// something smaller in these pages before. They are given back to the system, since they would
/// otherwise stay small, and on the NUMA nodes that touched them first. Shorter arrays do not repay
/// the cost of touching them again.
template <class MemorySpace>
void advise_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::uint64_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr bool host = std::is_same_v<MemorySpace, Kokkos::HostSpace>;
  if (!host || bytes < 2 * huge_page_bytes) return;
  const PageRange pages = whole_pages(data, bytes, huge_page_bytes);
  if (bytes >= newly_mapped_bytes) madvise(pages.data, pages.bytes, MADV_DONTNEED);
  madvise(pages.data, pages.bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace hashmill::backends
