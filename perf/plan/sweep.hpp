#pragma once

#include <string>
#include <vector>

#include "compare_options.hpp"

namespace hashmill::perf {

/// The names that --sweep takes.
std::vector<std::string> sweep_names();

/// What the command line says itself, and a sweep leaves alone.
struct SweepKeeps {
  bool values = false;      ///< the values of the axis
  bool algorithms = false;  ///< the algorithms
};

/// Sets the axis that `name` stands for to the values of a sweep, the algorithms to the finds that
/// depend on it, and the default sizes to one a backend, so that the axis is what varies.
void apply_sweep(const std::string& name, const SweepKeeps& keeps, CompareOptions& options);

}  // namespace hashmill::perf
