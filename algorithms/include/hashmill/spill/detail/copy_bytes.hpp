#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <hashmill/backends/device_memory.hpp>

namespace hashmill::detail {

/// Copies bytes between memory of the execution space and of the host. Asynchronous. Within the
/// host one thread copies faster than files are written, and needs no other thread to be awake.
template <class To, class From, class Exec>
void copy_bytes(const Exec& exec, std::byte* to, const std::byte* from, std::uint64_t bytes) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  if (bytes == 0) return;
  if constexpr (backends::is_host_memory<To> && backends::is_host_memory<From>) {
    exec.fence("hashmill::spill: bytes have been written before they are copied");
    std::memcpy(to, from, bytes);
  } else {
    Kokkos::deep_copy(exec, Kokkos::View<std::byte*, To, Unmanaged>(to, bytes),
                      Kokkos::View<const std::byte*, From, Unmanaged>(from, bytes));
  }
}

}  // namespace hashmill::detail
