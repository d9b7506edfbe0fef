#pragma once

#include <algorithm>
#include <hashmill/error.hpp>
#include <string>
#include <vector>

namespace hashmill::perf {

/// An axis that --sweep varies alone, at one size a backend, and the values that it takes.
template <class Options>
struct SweptAxis {
  using Axis = std::vector<double> Options::*;
  const char* name;
  Axis axis;
  std::vector<double> values;

  /// Prepares the sweep; `keeps_values` where the command line gives values of its own.
  void apply(bool keeps_values, Options& options) const {
    options.one_default_size = true;
    if (!keeps_values) options.*axis = values;
  }
};

/// What --sweep calls the axes.
template <class Axes>
std::vector<std::string> names_of(const Axes& axes) {
  std::vector<std::string> names;
  for (const auto& axis : axes) names.emplace_back(axis.name);
  return names;
}

/// The axis called `name`. Throws `InvalidArgument` where there is none.
template <class Axes>
const auto& axis_called(const std::string& name, const Axes& axes) {
  const auto found =
      std::ranges::find_if(axes, [&](const auto& axis) { return axis.name == name; });
  if (found == axes.end()) throw InvalidArgument("--sweep: there is no '" + name + "'");
  return *found;
}

}  // namespace hashmill::perf
