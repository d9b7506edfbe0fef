#pragma once

#include <cstdint>
#include <hashmill/backends/execution.hpp>
#include <hashmill/backends/huge_pages.hpp>
#include <hashmill/backends/memory_cache.hpp>
#include <hashmill/backends/numa_placement.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/error.hpp>
#include <limits>
#include <string>
#include <string_view>

namespace hashmill::backends {

/// The CapacityError of a failed allocation in `MemorySpace`.
template <class MemorySpace>
[[nodiscard]] CapacityError out_of_memory(std::string_view label, std::uint64_t bytes,
                                          std::uint64_t available = free_bytes<MemorySpace>()) {
  return {"cannot allocate " + std::string(label) + ": " + std::to_string(bytes) +
              " bytes needed, " + std::to_string(available) + " bytes free in " +
              MemorySpace::name(),
          bytes, available};
}

/// Host arrays shorter than this are not compared with the free memory. Asking the system takes
/// about 0.1 ms; longer arrays take many times that to be written.
inline constexpr std::uint64_t compared_array_bytes = std::uint64_t{64} << 20;

/// Throws CapacityError where a long array does not fit the host's free memory. Hosts hand out
/// memory that they do not have, and then kill the process that writes it. What the cache keeps is
/// freed where only that makes room.
template <class MemorySpace>
void require_free_host(std::string_view label, std::uint64_t bytes) {
  if (!is_host_memory<MemorySpace> || bytes < compared_array_bytes) return;
  std::uint64_t available = memory_of<MemorySpace>().free;
  if (bytes > available && MemoryCache<MemorySpace>::instance().trim()) {
    available = memory_of<MemorySpace>().free;
  }
  if (bytes > available) throw out_of_memory<MemorySpace>(label, bytes, available);
}

/// The bytes of an array of `count` elements of `element_bytes` bytes. Throws CapacityError where
/// they do not fit 64 bits.
template <class MemorySpace>
[[nodiscard]] std::uint64_t require_array_bytes(std::string_view label, std::uint64_t count,
                                                std::uint64_t element_bytes) {
  // Kokkos adds a header without checking that the sum still fits.
  constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  const std::uint64_t bytes = checked_multiply(count, element_bytes, label);
  if (bytes > limit) throw out_of_memory<MemorySpace>(label, bytes);
  return bytes;
}

/// Throws the CapacityError of a failed allocation.
template <class MemorySpace>
[[noreturn]] void throw_out_of_memory(std::string_view label, std::uint64_t bytes) {
  throw out_of_memory<MemorySpace>(label, bytes);
}

/// An uninitialised view of `count` elements; where memory is short, once the cache is emptied.
template <class ViewType, class Exec>
[[nodiscard]] ViewType new_view(const Exec& exec, std::string_view label, std::uint64_t count,
                                std::uint64_t bytes) {
  using Memory = typename ViewType::memory_space;
  for (bool first = true;; first = false) {
    try {
      return ViewType(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
                      count);
    } catch (const std::exception&) {  // Kokkos documents no narrower type
      const bool freed = first && MemoryCache<Memory>::instance().trim();
      if (!freed) throw_out_of_memory<Memory>(label, bytes);
    }
  }
}

/// As `allocate`, but of up to `most` elements, where the cache has such an array.
template <class ViewType, ExecutionSpace Exec>
[[nodiscard]] ViewType allocate_roomy(const Exec& exec, std::string_view label, std::uint64_t count,
                                      std::uint64_t most,
                                      ArrayUsers users = ArrayUsers::any_instance) {
  using Memory = typename ViewType::memory_space;
  auto& cache = MemoryCache<Memory>::instance();
  const std::uint64_t bytes =
      require_array_bytes<Memory>(label, count, sizeof(typename ViewType::value_type));
  ViewType view = cache.template take<ViewType>(exec, count, most, users);
  if (view.data() != nullptr) return view;
  require_free_host<Memory>(label, bytes);
  view = new_view<ViewType>(exec, label, count, bytes);
  advise_huge_pages<Memory>(view.data(), bytes);
  place_array<Memory>(exec, view.data(), bytes);
  cache.keep(exec, view, users);
  return view;
}

/// Allocates an uninitialised one-dimensional view of `count` elements on `exec`. It may be the
/// beginning of an array that nobody uses any more and that is up to 1/8 longer (`MemoryCache`),
/// with the label which that had. Large arrays on hosts are backed by huge pages. With several NUMA
/// nodes they are placed as `numa_plan` says.
///
/// Throws CapacityError, which names the label, the bytes needed and the bytes free in that memory
/// space, when
///
/// - the allocation fails,
/// - its size in bytes does not fit 64 bits,
/// - a host array of `compared_array_bytes` or more exceeds the free memory.
///
/// Throws InvalidArgument on hosts when HASHMILL_NUMA names no mode, and where
/// HASHMILL_MEMORY_CACHE is no number.
template <class ViewType, ExecutionSpace Exec>
[[nodiscard]] ViewType allocate(const Exec& exec, std::string_view label, std::uint64_t count) {
  const auto view = allocate_roomy<ViewType>(exec, label, count, count + count / 8);
  if (view.extent(0) == count) return view;
  return Kokkos::subview(view, std::make_pair(std::uint64_t{0}, count));
}

/// As `allocate`, filled with zero bits on `exec` (asynchronously).
template <class ViewType, ExecutionSpace Exec>
[[nodiscard]] ViewType allocate_zeroed(const Exec& exec, std::string_view label,
                                       std::uint64_t count) {
  auto view = allocate<ViewType>(exec, label, count);
  Kokkos::deep_copy(exec, view, typename ViewType::value_type{});
  return view;
}

/// A view of exactly `size` elements: the beginning of `view` where that is long enough, else a new
/// one. Throws as `allocate` does.
template <class View, class Exec>
View fitted(const Exec& exec, const View& view, std::uint64_t size, const char* label) {
  if (view.extent(0) < size || view.data() == nullptr) {
    return allocate<View>(exec, label, size);
  }
  return Kokkos::subview(view, std::make_pair(std::uint64_t{0}, size));
}

}  // namespace hashmill::backends

#ifdef HASHMILL_INSTANCES
#include <hashmill/backends/instances.hpp>
#endif
