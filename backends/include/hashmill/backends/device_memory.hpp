#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/host_memory.hpp>
#include <type_traits>

namespace hashmill::backends {

/// Whether allocations in `MemorySpace` take the host's memory only. Memory that moves between host
/// and device does not count.
template <class MemorySpace>
inline constexpr bool is_host_memory = std::is_same_v<MemorySpace, Kokkos::HostSpace>;
#ifdef KOKKOS_ENABLE_CUDA
template <>
inline constexpr bool is_host_memory<Kokkos::CudaHostPinnedSpace> = true;
#endif
#ifdef KOKKOS_ENABLE_HIP
template <>
inline constexpr bool is_host_memory<Kokkos::HIPHostPinnedSpace> = true;
#endif

/// Free and total bytes of `MemorySpace`. For every space in the host's memory, those of the host.
template <class MemorySpace>
[[nodiscard]] MemoryBytes memory_of() {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<MemorySpace, Kokkos::CudaSpace>) {
    std::size_t free = 0, total = 0;
    if (cudaMemGetInfo(&free, &total) == cudaSuccess) return {free, total};
  }
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<MemorySpace, Kokkos::HIPSpace>) {
    std::size_t free = 0, total = 0;
    if (hipMemGetInfo(&free, &total) == hipSuccess) return {free, total};
  }
#endif
  return host_memory();
}

}  // namespace hashmill::backends
