#pragma once

#include <cstddef>
#include <cstdint>
#include <hashmill/backends/execution.hpp>
#include <hashmill/backends/machine_topology.hpp>

namespace hashmill::backends {

/// Bytes of the cache that one host thread has to itself (its level-2 cache); 1 MiB where the
/// system does not tell. Bins of work are sized to stay within half of it.
[[nodiscard]] inline std::size_t private_cache_bytes() {
  static const std::size_t bytes = machine_topology().private_cache_bytes();
  return bytes;
}

/// Bytes of the last cache before memory on which a host can rely.
[[nodiscard]] inline std::size_t last_level_cache_bytes() {
  static const std::size_t bytes = machine_topology().last_level_cache_bytes();
  return bytes;
}

/// Whether that many bytes of output are better written past the caches (see `stream_line`): by the
/// time they were read again they would have left the caches.
[[nodiscard]] inline bool outgrows_caches(std::uint64_t bytes) {
  return bytes > last_level_cache_bytes() / 2;
}

/// Bytes of the last cache before the memory of `exec`, which all of its threads share.
template <ExecutionSpace Exec>
[[nodiscard]] std::size_t shared_cache_bytes([[maybe_unused]] const Exec& exec) {
#ifdef KOKKOS_ENABLE_CUDA
  if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) {
    return static_cast<std::size_t>(exec.cuda_device_prop().l2CacheSize);
  }
#endif
#ifdef KOKKOS_ENABLE_HIP
  if constexpr (std::is_same_v<Exec, Kokkos::HIP>) {
    return static_cast<std::size_t>(exec.hip_device_prop().l2CacheSize);
  }
#endif
  return last_level_cache_bytes();
}

}  // namespace hashmill::backends
