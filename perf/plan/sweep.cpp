#include "sweep.hpp"

#include <algorithm>
#include <hashmill/error.hpp>

namespace hashmill::perf {
namespace {

/// An axis, who depends on it, and where it is measured: from where there is room to where a table
/// is nearly full.
struct Sweep {
  const char* name;
  bool UsedAxes::*depends;
  std::vector<double> CompareOptions::*axis;
  std::vector<double> values;
};

const std::vector<Sweep>& all_sweeps() {
  static const std::vector<Sweep> sweeps = {
      {"fill", &UsedAxes::fill, &CompareOptions::fills, {0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95}},
      {"hit-rate", &UsedAxes::queries, &CompareOptions::hit_rates, {0, 0.25, 0.5, 0.75, 1}},
      {"load-factor",
       &UsedAxes::load_factor,
       &CompareOptions::load_factors,
       {0.25, 0.5, 1, 2, 4, 8}},
  };
  return sweeps;
}

}  // namespace

std::vector<std::string> sweep_names() {
  std::vector<std::string> names;
  for (const Sweep& sweep : all_sweeps()) names.emplace_back(sweep.name);
  return names;
}

void apply_sweep(const std::string& name, const SweepKeeps& keeps, CompareOptions& options) {
  const auto sweep = std::ranges::find(all_sweeps(), name, &Sweep::name);
  if (sweep == all_sweeps().end()) throw InvalidArgument("--sweep: there is no '" + name + "'");
  options.one_default_size = true;
  if (!keeps.values) options.*sweep->axis = sweep->values;
  if (keeps.algorithms) return;
  options.algorithms.clear();
  for (const Algorithm& algorithm : all_algorithms()) {
    if (algorithm.kind == OperationKind::find && algorithm.axes.*sweep->depends)
      options.algorithms.push_back(&algorithm);
  }
}

}  // namespace hashmill::perf
