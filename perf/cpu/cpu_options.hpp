#pragma once

#include <string>
#include <vector>

#include "cpu_plan.hpp"

namespace hashmill::perf {

/// The command `cpu`, for CLI11.
class CpuCommand {
 public:
  /// Lets `app` take the options; this must outlive it.
  void add_to(CLI::App& app);

  /// What was asked for, once `app` has parsed; `rest` are the arguments that it does not know.
  /// Throws `InvalidArgument` with one line that says what is wrong.
  CpuOptions finish(const std::vector<std::string>& rest) const;

 private:
  CpuOptions options_;
  std::vector<std::string> algorithms_ = {"all"};
  std::vector<std::string> payloads_;
};

}  // namespace hashmill::perf
