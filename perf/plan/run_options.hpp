#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace hashmill::perf {

class OptionGroup;

/// How to run and what to write: the options that commands have in common.
struct RunOptions {
  std::vector<std::string> backends;  ///< empty: every one compiled in
  unsigned repetitions = 5;
  double seconds = 120.0;
  std::string json_path;
  std::string plot_path;
  std::optional<std::string> numa;  ///< none: what HASHMILL_NUMA says
  bool no_progress = false;
  bool list_algorithms = false;
  std::vector<std::string> benchmark_flags;  ///< --benchmark_… and --v, for Google Benchmark
  std::vector<std::string> kokkos_flags;     ///< --kokkos-…, for Kokkos

  /// Whether the flags for Google Benchmark set `name`.
  bool has_benchmark_flag(const std::string& name) const;
};

/// Lets `app` take those options that say how often to time.
void add_timing_options(const OptionGroup& group, RunOptions& options);

/// Lets `app` take those options that say where to write the figures.
void add_file_options(const OptionGroup& group, RunOptions& options, const char* plot_help);

/// Lets `app` take all options.
void add_run_options(CLI::App& app, RunOptions& options);

/// Checks what was parsed, and hands each argument that CLI11 does not know to the library it
/// belongs to. Throws `InvalidArgument`.
void finish_run_options(const std::vector<std::string>& rest, RunOptions& options);

}  // namespace hashmill::perf
