#pragma once

#include <cstdint>
#include <hashmill/backends/throttled_transport.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plan/run_options.hpp"

namespace hashmill::perf {

/// What `hashmill-compare distributed` was asked for.
struct DistributedOptions : RunOptions {
  std::vector<std::string> operations;  ///< empty: all
  std::vector<std::uint64_t> bytes_per_rank = {1 << 20, 1 << 24, 1 << 28};
  std::uint64_t seed = 1;
  std::optional<backends::LinkSpeed> link;  ///< none: as fast as the transport
  bool phases = false;
};

/// The command `distributed`, for CLI11.
class DistributedCommand {
 public:
  /// Lets `app` take the options; this must outlive it.
  void add_to(CLI::App& app);

  /// What was asked for, once `app` has parsed; `rest` are the arguments that it does not know.
  /// Throws `InvalidArgument` with one line that says what is wrong.
  DistributedOptions finish(const std::vector<std::string>& rest) const;

 private:
  DistributedOptions options_;
  std::string link_;
};

}  // namespace hashmill::perf
