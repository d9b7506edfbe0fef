#pragma once

#include <hashmill/backends/machine_topology.hpp>
#include <string>
#include <vector>

namespace hashmill::test {

/// A machine of nodes with these numbers of hardware threads and 1 MiB of cache a core; needs no
/// hwloc.
inline backends::Topology machine_of(const std::vector<unsigned>& threads) {
  backends::Topology machine{"test", {}, {{2, 1 << 20, 1}}};
  unsigned next = 0;
  for (const unsigned count : threads) {
    const auto index = static_cast<unsigned>(machine.nodes.size());
    machine.nodes.push_back({index, 0, count, {}});
    for (unsigned i = 0; i < count; ++i) machine.nodes.back().threads.push_back(next++);
  }
  return machine;
}

/// A machine of `nodes` nodes with 16 GiB, a level-3 cache of 32 MiB and 4 cores each; cores have
/// two hardware threads and a level-2 cache of 512 KiB. Numbered in order, and cut down to
/// `cpuset` unless that is empty.
inline backends::Topology synthetic_machine(unsigned nodes, const std::string& cpuset = {}) {
  const std::string description =
      "pack:" + std::to_string(nodes) +
      " [numa(memory=16GiB)] l3:1(size=32MiB) l2:4(size=512KiB) core:1 pu:2";
  return backends::synthetic_topology(description, cpuset);
}

}  // namespace hashmill::test
