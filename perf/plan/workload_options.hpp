#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "case/algorithm.hpp"
#include "case/compare_case.hpp"
#include "keys/key_generator.hpp"
#include "run_options.hpp"

namespace hashmill::perf {

/// What the commands `join` and `group-by` have in common.
struct WorkloadOptions : RunOptions {
  std::vector<const Algorithm*> algorithms;  ///< in the order of the table
  std::vector<std::uint64_t> num_rows;  ///< of the right side, or of a group-by; empty: by backend
  bool one_default_size = false;        ///< whether only one is chosen for a backend
  std::vector<unsigned> key_bits = {32};
  std::vector<KeyOrder> orders = {KeyOrder::random};
  std::vector<double> skews = {0.0};  ///< Zipf exponents
  std::vector<KeyColumns> columns = {KeyColumns::one};
  std::uint64_t seed = 1;
};

/// The options of WorkloadOptions, for CLI11.
class WorkloadCommand {
 public:
  /// Takes options whose description depends on the command: what --n counts, what can be swept.
  void add_to(CLI::App& app, WorkloadOptions& options, const char* rows, const char* skewed,
              const std::vector<std::string>& sweeps);

  /// Checks what was parsed and writes it to `options`. Throws `InvalidArgument`.
  void finish(const std::vector<std::string>& rest, std::span<const Algorithm> all,
              WorkloadOptions& options) const;

  /// The axis to sweep, or "".
  const std::string& sweep() const { return sweep_; }

 private:
  std::vector<std::string> algorithms_ = {"all"};
  std::vector<std::string> orders_ = {"random"};
  std::vector<std::string> columns_ = {"one"};
  std::string sweep_;
};

}  // namespace hashmill::perf
