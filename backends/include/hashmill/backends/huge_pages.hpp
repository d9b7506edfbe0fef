#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hashmill::backends {

/// Bytes of a huge page, of the kind that Linux gives without being set up for it.
inline constexpr std::uint64_t huge_page_bytes = std::uint64_t{2} << 20;

/// The pages that lie wholly in an array.
struct PageRange {
  void* data;
  std::uint64_t bytes;
};

/// Those pages of `page` bytes each; none of an array that holds no whole page.
[[nodiscard]] inline PageRange whole_pages(void* data, std::uint64_t bytes, std::uint64_t page) {
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + bytes) / page * page;
  return {reinterpret_cast<void*>(begin), begin < end ? end - begin : 0};
}

/// Asks the system to back host memory that was not touched yet by huge pages: random accesses then
/// miss the address translation caches far less often. A hint; Linux follows it where
/// /sys/kernel/mm/transparent_hugepage/enabled says `madvise` or `always`.
template <class MemorySpace>
void advise_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::uint64_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr bool host = std::is_same_v<MemorySpace, Kokkos::HostSpace>;
  if (!host || bytes < 2 * huge_page_bytes) return;
  const PageRange pages = whole_pages(data, bytes, huge_page_bytes);
  madvise(pages.data, pages.bytes, MADV_HUGEPAGE);
#endif
}

}  // namespace hashmill::backends
