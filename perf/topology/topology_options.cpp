#include "topology_options.hpp"

#include <CLI/CLI.hpp>
#include <hashmill/error.hpp>

#include "plan/numa_option.hpp"
#include "plan/option_group.hpp"
#include "plan/option_values.hpp"
#include "plan/run_options.hpp"

namespace hashmill::perf {

void TopologyCommand::add_to(CLI::App& app) {
  const OptionGroup group(app, "Machine and plan");
  group.single("--machine", options_.machine, "TEXT",
               "Plan for a machine described as hwloc does [this one]");
  group.single("--cpuset", options_.cpuset, "LIST",
               "Hardware threads of --machine to plan for, such as 0-3,8 [all]");
  group
      .single("--threads", options_.threads, "N",
              "Threads to plan for [Kokkos's, or one on each of --machine]")
      ->transform(count_from(1));
  add_numa_option(group, options_.numa);
  group.single("--n", options_.num_records, "N", "Records to plan passes over for [2^27]")
      ->transform(count_from(1));
}

TopologyOptions TopologyCommand::finish(const std::vector<std::string>& rest) const {
  RunOptions run;
  finish_run_options(rest, run);
  if (!run.benchmark_flags.empty()) {
    throw InvalidArgument("topology: nothing is timed, so there is no " + run.benchmark_flags[0]);
  }
  if (!options_.cpuset.empty() && options_.machine.empty()) {
    throw InvalidArgument("--cpuset needs --machine; use taskset to restrict this one");
  }
  TopologyOptions options = options_;
  options.kokkos_flags = run.kokkos_flags;
  return options;
}

}  // namespace hashmill::perf
