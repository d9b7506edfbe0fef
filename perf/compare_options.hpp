#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithm_table.hpp"
#include "key_file.hpp"
#include "key_generator.hpp"

namespace hashmill::perf {

/// What the command line of hashmill-compare asks for.
struct CompareOptions {
  std::vector<std::string> backends;         ///< empty: every one compiled in
  std::vector<const Algorithm*> algorithms;  ///< in the order of the table
  std::vector<std::uint64_t> num_keys;       ///< empty: chosen by backend
  bool one_default_size = false;             ///< whether only one is chosen for a backend
  std::optional<std::uint64_t> num_queries;  ///< none: as many as keys
  std::vector<unsigned> key_bits;            ///< empty: 32, or what the key file says
  std::vector<double> load_factors = {1.0};
  std::vector<double> fills = {0.5};
  std::vector<std::uint64_t> multiplicities = {1};
  std::vector<std::uint64_t> bins = {0};
  std::vector<double> hit_rates = {1.0};
  std::vector<KeyOrder> orders = {KeyOrder::random};
  double zipf_exponent = 1.0;
  std::uint64_t seed = 1;
  std::optional<KeyFileRequest> keys;

  unsigned repetitions = 5;
  double seconds = 120.0;
  std::string json_path;
  std::string plot_path;
  bool show_progress = true;
  std::vector<std::string> benchmark_flags;  ///< --benchmark_… and --v, for Google Benchmark
  std::vector<std::string> kokkos_flags;     ///< --kokkos-…, for Kokkos

  /// Whether the flags for Google Benchmark set `name`.
  bool has_benchmark_flag(const std::string& name) const;
};

/// Parses the command line. Returns nothing if the program is done (--help, --version,
/// --list-algorithms); throws `InvalidArgument` with one line that says what is wrong.
std::optional<CompareOptions> parse_compare_options(int argc, const char* const* argv);

}  // namespace hashmill::perf
