#pragma once

#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <fstream>
#include <string>
#include <type_traits>

namespace hashmill::backends {

/// Free and total bytes of a memory.
struct MemoryBytes {
  std::uint64_t free;
  std::uint64_t total;
};

/// The host's memory as the kernel tells it: what can be taken without swapping, and all of it.
[[nodiscard]] inline MemoryBytes host_memory() {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  MemoryBytes memory{static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * page,
                     static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * page};
  std::ifstream meminfo("/proc/meminfo");
  for (std::string name, rest; meminfo >> name; std::getline(meminfo, rest)) {
    if (name == "MemAvailable:") {
      std::uint64_t kib = 0;
      if (meminfo >> kib) memory.free = kib * 1024;
      break;
    }
  }
  return memory;
}

/// Free and total bytes of `MemorySpace`; host figures for every space the host owns.
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

/// Bytes that an allocation in `MemorySpace` could get now.
template <class MemorySpace>
[[nodiscard]] std::uint64_t free_bytes() {
  return memory_of<MemorySpace>().free;
}

}  // namespace hashmill::backends
