#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/device_memory.hpp>
#include <string>

#include "run/seconds_of.hpp"

namespace hashmill::perf {

/// The seconds in which one thread writes so many bytes to a new file in `directory` and reads them
/// again, block by block. Throws as TemporaryFile.
double plain_file_seconds(const std::string& directory, std::uint64_t bytes);

/// The seconds in which so many bytes are copied from the memory of `Exec` to pinned memory of the
/// host and back, block by block. 0 where `Exec` works on the host's.
template <class Exec>
double plain_copy_seconds(const Exec& exec, std::uint64_t bytes) {
  using Memory = typename Exec::memory_space;
  if constexpr (backends::is_host_memory<Memory>) {
    return 0;
  } else {
    constexpr std::uint64_t block = std::uint64_t{64} << 20;
    using Here = Kokkos::View<std::byte*, Memory>;
    using There = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace>;
    const auto here = backends::allocate<Here>(exec, "hashmill::perf::here", block);
    const auto there = backends::allocate<There>(exec, "hashmill::perf::there", block);
    const double seconds = seconds_of([&] {
      Kokkos::deep_copy(exec, there, here);
      Kokkos::deep_copy(exec, here, there);
      exec.fence("hashmill::perf::plain_copy_seconds: the clock stops");
    });
    return seconds * static_cast<double>(bytes) / static_cast<double>(block);
  }
}

}  // namespace hashmill::perf
