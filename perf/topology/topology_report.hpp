#pragma once

#include <hashmill/backends/numa_plan.hpp>
#include <iosfwd>
#include <string>

namespace hashmill::perf {

/// What else is shown of the machine, in words.
struct HostSettings {
  std::string huge_pages;  ///< what the system does about them; empty where it does not say
  std::string binding;     ///< whether threads stay on their cores
};

/// The settings of this machine.
HostSettings read_host_settings();

/// Prints a machine and the plan for it: caches, mode, passes over `num_records` records of 8
/// bytes, and a row for each node.
void print_topology(std::ostream& out, const backends::Topology& machine,
                    const backends::NumaPlan& plan, const HostSettings& settings,
                    std::uint64_t num_records);

/// Bytes in the largest unit that keeps them whole, or with a decimal: "512 KiB", "7.8 GiB".
std::string readable_bytes(std::uint64_t bytes);

/// Numbers in order, runs of them as "first-last": "0-3,8".
std::string readable_numbers(const std::vector<unsigned>& numbers);

}  // namespace hashmill::perf
