#pragma once

#include <unistd.h>

#include <hashmill/backends/device_memory.hpp>
#include <hashmill/backends/hwloc_topology.hpp>
#include <hashmill/backends/topology.hpp>
#include <hashmill/error.hpp>

#ifdef __linux__
#include <sched.h>
#endif

namespace hashmill::backends {

/// Hardware threads that the calling thread may run on.
[[nodiscard]] inline std::vector<unsigned> allowed_threads() {
  std::vector<unsigned> threads;
#ifdef __linux__
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (unsigned i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &set)) threads.push_back(i);
    }
  }
#endif
  const auto online = static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  for (unsigned i = 0; threads.empty() && i < online; ++i) threads.push_back(i);
  return threads;
}

/// The machine as one node, from what the system reports without another library. Each hardware
/// thread counts as a core.
[[nodiscard]] inline Topology system_topology() {
  Topology topology{"the system", {{0, host_memory().total, 0, allowed_threads()}}, {}};
  NumaNode& node = topology.nodes.front();
  node.cores = static_cast<unsigned>(node.threads.size());
#ifdef _SC_LEVEL2_CACHE_SIZE
  if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > 0) {
    topology.caches.push_back({2, static_cast<std::uint64_t>(bytes), 1});
  }
#endif
#ifdef _SC_LEVEL3_CACHE_SIZE
  if (const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE); bytes > 0) {
    topology.caches.push_back({3, static_cast<std::uint64_t>(bytes), node.cores});
  }
#endif
  return topology;
}

#ifdef HASHMILL_ENABLE_HWLOC
/// hwloc's view of this machine, read once (a few milliseconds).
[[nodiscard]] inline const HwlocTopology& machine_hwloc() {
  static const HwlocTopology machine;
  return machine;
}
#endif

/// What this process may use of this machine, as it was at the first call. Nodes and caches where
/// the library was built with hwloc (HASHMILL_ENABLE_HWLOC), else one node and its caches.
[[nodiscard]] inline const Topology& machine_topology() {
#ifdef HASHMILL_ENABLE_HWLOC
  static const Topology topology = machine_hwloc().read("hwloc");
#else
  static const Topology topology = system_topology();
#endif
  return topology;
}

/// A machine that exists only as a description, for plans of machines other than this one. Takes
/// the arguments of HwlocTopology. Throws InvalidArgument as that does, and BackendError where the
/// library was built without hwloc.
[[nodiscard]] inline Topology synthetic_topology([[maybe_unused]] const std::string& description,
                                                 [[maybe_unused]] const std::string& cpuset = {}) {
#ifdef HASHMILL_ENABLE_HWLOC
  if (description.empty()) throw InvalidArgument("topology: the description is empty");
  return HwlocTopology(description, cpuset).read("'" + description + "'");
#else
  throw BackendError("topology: descriptions need hwloc (build with HASHMILL_ENABLE_HWLOC=ON)");
#endif
}

}  // namespace hashmill::backends
