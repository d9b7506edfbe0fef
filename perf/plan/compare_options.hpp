#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "case/algorithm.hpp"
#include "keys/key_file.hpp"
#include "keys/key_generator.hpp"
#include "run_options.hpp"

namespace hashmill::perf {

/// What the command line of hashmill-compare asks for.
struct CompareOptions : RunOptions {
  std::vector<const Algorithm*> algorithms;  ///< in the order of the table
  std::vector<std::uint64_t> num_keys;       ///< empty: chosen by backend
  bool one_default_size = false;             ///< whether only one is chosen for a backend
  std::optional<std::uint64_t> num_queries;  ///< none: as many as keys
  std::vector<unsigned> key_bits;            ///< empty: 32, or what the key file says
  std::vector<double> load_factors = {1.0};
  std::vector<double> fills = {0.5};
  std::vector<double> multiplicities = {1};
  std::vector<std::uint64_t> bins = {0};
  std::vector<double> hit_rates = {1.0};
  std::vector<KeyOrder> orders = {KeyOrder::random};
  double zipf_exponent = 1.0;
  std::uint64_t seed = 1;
  std::optional<KeyFileRequest> keys;
};

/// The options of the program without a command, for CLI11.
class CompareCommand {
 public:
  /// Lets `app` take the options; this must outlive it.
  void add_to(CLI::App& app);

  /// What was asked for, once `app` has parsed; `rest` are the arguments that it does not know.
  /// Throws `InvalidArgument` with one line that says what is wrong.
  CompareOptions finish(const CLI::App& app, const std::vector<std::string>& rest);

 private:
  CompareOptions options_;
  std::vector<std::string> algorithms_ = {"all"};
  std::vector<std::string> orders_ = {"random"};
  std::string keys_;
  std::string key_format_ = "auto";
  std::string sweep_;
};

}  // namespace hashmill::perf
