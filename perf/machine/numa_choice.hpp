#pragma once

#include <hashmill/backends/numa_placement.hpp>
#include <optional>
#include <string>

namespace hashmill::perf {

/// The NUMA mode that the option or else the environment names. Throws InvalidArgument.
inline backends::NumaMode chosen_numa_mode(const std::optional<std::string>& option) {
  return option ? backends::parse_numa_mode(*option, "--numa")
                : backends::numa_mode_of_environment();
}

/// This machine's plan in that mode; Kokkos is initialised.
inline backends::NumaPlan chosen_numa_plan(const std::optional<std::string>& option) {
  const auto threads = static_cast<unsigned>(Kokkos::DefaultHostExecutionSpace().concurrency());
  return {backends::machine_topology(), chosen_numa_mode(option), threads};
}

}  // namespace hashmill::perf
