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

/// Prepares a sweep over the axis that `name` stands for, so that only this axis varies. Sets the
/// axis to the values of the sweep, the algorithms to the finds that depend on it, and the default
/// sizes to one per backend. Throws InvalidArgument where there is no such sweep.
void apply_sweep(const std::string& name, const SweepKeeps& keeps, CompareOptions& options);

}  // namespace hashmill::perf
