#include "run_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <hashmill/error.hpp>

#include "numa_option.hpp"
#include "option_group.hpp"
#include "option_values.hpp"

namespace hashmill::perf {

bool RunOptions::has_benchmark_flag(const std::string& name) const {
  return std::ranges::any_of(benchmark_flags,
                             [&](const auto& flag) { return flag.starts_with("--" + name); });
}

void add_timing_options(const OptionGroup& group, RunOptions& options) {
  group
      .single("--repetitions", options.repetitions, "N",
              "Timed repetitions; the median is shown [5]")
      ->transform(count_from(1));
  group
      .single("--seconds", options.seconds, "S",
              "Leave repetitions out to end in about this time [120]")
      ->check(positive_number());
}

void add_file_options(const OptionGroup& group, RunOptions& options, const char* plot_help) {
  group.single("--json", options.json_path, "FILE", "Write the results as Google Benchmark's JSON");
  group.single("--plot", options.plot_path, "FILE.png|FILE.svg", plot_help);
}

void add_run_options(CLI::App& app, RunOptions& options) {
  const OptionGroup group(app, "Run and output");
  add_timing_options(group, options);
  add_file_options(group, options, "Plot the results (python3 and gnuplot)");
  add_numa_option(group, options.numa);
  group.flag("--no-progress", options.no_progress, "No progress on stderr");
  group.flag("--list-algorithms", options.list_algorithms, "List the algorithms and end");
}

void finish_run_options(const std::vector<std::string>& rest, RunOptions& options) {
  for (const auto& argument : rest) {
    if (argument.starts_with("--benchmark_") || argument.starts_with("--v=")) {
      options.benchmark_flags.push_back(argument);
    } else if (argument.starts_with("--kokkos-")) {
      options.kokkos_flags.push_back(argument);
    } else {
      throw InvalidArgument("there is no option " + argument + " (--help lists them)");
    }
  }
  if (!options.plot_path.empty() && !options.plot_path.ends_with(".png") &&
      !options.plot_path.ends_with(".svg")) {
    throw InvalidArgument("--plot: the file must end in .png or .svg, not " + options.plot_path);
  }
}

}  // namespace hashmill::perf
