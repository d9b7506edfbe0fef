#pragma once

#ifdef HASHMILL_ENABLE_HWLOC

#include <hwloc.h>

#include <hashmill/backends/topology.hpp>
#include <hashmill/error.hpp>
#include <memory>

namespace hashmill::backends {

/// Owns a set of hardware threads or of nodes, as hwloc represents it.
using HwlocSet = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

/// An empty set.
[[nodiscard]] inline HwlocSet make_hwloc_set() { return {hwloc_bitmap_alloc(), hwloc_bitmap_free}; }

/// Owns hwloc's view of a machine (hwloc 2). Once constructed it is only read, which any thread may
/// do.
class HwlocTopology {
 public:
  /// This machine, restricted to what the process may use. hwloc leaves out what a cpuset or a
  /// container forbids. This constructor also removes the hardware threads to which no thread of
  /// the process is bound. It asks for the bindings of all threads: where each is bound to a place
  /// of its own, the calling thread is on one core only. Throws BackendError where hwloc fails.
  HwlocTopology() : HwlocTopology(std::string{}) {
    const HwlocSet bound = make_hwloc_set();
    if (hwloc_get_cpubind(handle(), bound.get(), HWLOC_CPUBIND_PROCESS) != 0) return;
    // If hwloc refuses, the topology stays as it is: still correct, only larger.
    static_cast<void>(hwloc_topology_restrict(handle(), bound.get(), 0));
  }

  /// The machine of a synthetic description, such as "pack:2 numa:1 l3:1 l2:8 core:1 pu:2" (the
  /// manual of hwloc, "Synthetic topologies"). Unless `cpuset` is empty, it is restricted to those
  /// hardware threads, such as "0-3,8". Throws InvalidArgument, which names what hwloc does not
  /// accept.
  HwlocTopology(const std::string& description, const std::string& cpuset)
      : HwlocTopology(description) {
    if (cpuset.empty()) return;
    const HwlocSet allowed = make_hwloc_set();
    if (hwloc_bitmap_list_sscanf(allowed.get(), cpuset.c_str()) != 0 ||
        hwloc_topology_restrict(handle(), allowed.get(), 0) != 0) {
      throw InvalidArgument("topology: '" + cpuset + "' is no cpuset of '" + description + "'");
    }
  }

  /// The handle that functions of hwloc take.
  [[nodiscard]] hwloc_topology_t handle() const { return owner_.get(); }

  /// The contents as plain data; `source` names their origin.
  [[nodiscard]] Topology read(const std::string& source) const {
    Topology topology{source, {}, {}};
    const HwlocSet left = make_hwloc_set();
    hwloc_bitmap_copy(left.get(), hwloc_topology_get_topology_cpuset(handle()));
    for (hwloc_obj_t node = nullptr; (node = next(HWLOC_OBJ_NUMANODE, node)) != nullptr;) {
      const HwlocSet threads = make_hwloc_set();
      hwloc_bitmap_and(threads.get(), node->cpuset, left.get());
      if (hwloc_bitmap_iszero(threads.get())) continue;
      hwloc_bitmap_andnot(left.get(), left.get(), threads.get());
      topology.nodes.push_back(
          {node->os_index, node->attr->numanode.local_memory, 0, read_threads(threads.get())});
      topology.nodes.back().cores = count_cores(threads.get());
    }
    if (topology.nodes.empty()) topology.nodes.push_back({0, 0, 0, {}});
    NumaNode& first = topology.nodes.front();
    for (const unsigned thread : read_threads(left.get())) first.threads.push_back(thread);
    first.cores += count_cores(left.get());
    read_caches(topology);
    return topology;
  }

 private:
  struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
  };

  explicit HwlocTopology(const std::string& synthetic) {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) throw BackendError("hwloc_topology_init failed");
    owner_.reset(topology);
    if (!synthetic.empty() && hwloc_topology_set_synthetic(topology, synthetic.c_str()) != 0) {
      throw InvalidArgument("topology: hwloc does not take the description '" + synthetic + "'");
    }
    if (hwloc_topology_load(topology) != 0) throw BackendError("hwloc_topology_load failed");
  }

  [[nodiscard]] hwloc_obj_t next(hwloc_obj_type_t type, hwloc_obj_t previous) const {
    return hwloc_get_next_obj_by_type(handle(), type, previous);
  }
  /// The numbers of the hardware threads of a set, in the order of the machine.
  [[nodiscard]] std::vector<unsigned> read_threads(hwloc_const_cpuset_t set) const {
    std::vector<unsigned> threads;
    for (hwloc_obj_t thread = nullptr; (thread = next(HWLOC_OBJ_PU, thread)) != nullptr;) {
      if (hwloc_bitmap_isset(set, thread->os_index) != 0) threads.push_back(thread->os_index);
    }
    return threads;
  }
  /// The number of cores with a thread in the set, or of threads in it where the machine reports no
  /// cores.
  [[nodiscard]] unsigned count_cores(hwloc_const_cpuset_t set) const {
    unsigned cores = 0;
    for (hwloc_obj_t core = nullptr; (core = next(HWLOC_OBJ_CORE, core)) != nullptr;) {
      cores += hwloc_bitmap_intersects(core->cpuset, set) != 0 ? 1U : 0U;
    }
    return cores != 0 ? cores : static_cast<unsigned>(hwloc_bitmap_weight(set));
  }
  void read_caches(Topology& topology) const {
    for (const auto type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
                            HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
      CacheLevel least{};
      for (hwloc_obj_t cache = nullptr; (cache = next(type, cache)) != nullptr;) {
        const auto& found = cache->attr->cache;
        const unsigned cores = count_cores(cache->cpuset);
        if (found.size == 0 || cores == 0) continue;
        const bool less = found.size / cores < least.bytes / std::max(1U, least.cores);
        if (least.bytes == 0 || less) least = {found.depth, found.size, cores};
      }
      if (least.bytes != 0) topology.caches.push_back(least);
    }
  }

  std::unique_ptr<hwloc_topology, Destroy> owner_;
};

}  // namespace hashmill::backends

#endif
