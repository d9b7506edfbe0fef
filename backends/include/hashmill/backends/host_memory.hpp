#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <hashmill/backends/cgroup_memory.hpp>
#include <string>

#ifdef __linux__
#include <sys/resource.h>
#endif

namespace hashmill::backends {

/// Free and total bytes of a memory.
struct MemoryBytes {
  std::uint64_t free;
  std::uint64_t total;
};

/// Bytes of a page, the unit in which the system counts memory.
[[nodiscard]] inline std::uint64_t system_page_bytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// The machine's memory, and the part of it that this process's control groups let it take without
/// swapping. `root` is as in `cgroup_free_bytes`.
[[nodiscard]] inline MemoryBytes system_memory(const std::string& root = {}) {
  const std::uint64_t page = system_page_bytes();
  const std::string meminfo = root + "/proc/meminfo";
  const auto free_pages = static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES));
  const auto all_pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const std::uint64_t free = number_after("MemAvailable:", meminfo, free_pages * page / 1024);
  const std::uint64_t total = number_after("MemTotal:", meminfo, all_pages * page / 1024);
  return {cgroup_free_bytes(root, free * 1024), total * 1024};
}

#ifdef __linux__
/// Bytes left under a resource limit of this process when `used` bytes are taken.
[[nodiscard]] inline std::uint64_t left_of_limit(int resource, std::uint64_t used) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return unlimited_bytes;
  if (limit.rlim_cur == RLIM_INFINITY) return unlimited_bytes;
  const std::uint64_t most = limit.rlim_cur;
  return most - std::min(most, used);
}
#endif

/// Bytes that this process may still map under its limits of address space and data (`ulimit -v`
/// and `-d`). `unlimited_bytes` on systems other than Linux.
[[nodiscard]] inline std::uint64_t process_free_bytes() {
#ifdef __linux__
  std::uint64_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  std::ifstream("/proc/self/statm") >> size >> resident >> shared >> text >> library >> data;
  const std::uint64_t page = system_page_bytes();
  return std::min(left_of_limit(RLIMIT_AS, size * page), left_of_limit(RLIMIT_DATA, data * page));
#else
  return unlimited_bytes;
#endif
}

/// The host's memory: in total, and what this process can take now without swapping and within its
/// limits, including those of its control groups (containers). Memory that was allocated but never
/// written counts as free, except under the limits of the process.
[[nodiscard]] inline MemoryBytes host_memory() {
  MemoryBytes memory = system_memory();
  memory.free = std::min(memory.free, process_free_bytes());
  return memory;
}

}  // namespace hashmill::backends
