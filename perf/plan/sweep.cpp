#include "sweep.hpp"

#include "swept_axis.hpp"
#include "tables/table_algorithms.hpp"

namespace hashmill::perf {
namespace {

/// An axis, and who depends on it. The values go from where there is room to where a table is
/// nearly full.
struct Sweep : SweptAxis<CompareOptions> {
  using UsesAxis = bool UsedAxes::*;
  UsesAxis depends;
};

const std::vector<Sweep>& all_sweeps() {
  static const std::vector<Sweep> sweeps = {
      {{"fill", &CompareOptions::fills, {0.1, 0.25, 0.5, 0.7, 0.8, 0.9, 0.95}}, &UsedAxes::fill},
      {{"hit-rate", &CompareOptions::hit_rates, {0, 0.25, 0.5, 0.75, 1}}, &UsedAxes::queries},
      {{"load-factor", &CompareOptions::load_factors, {0.25, 0.5, 1, 2, 4, 8}},
       &UsedAxes::load_factor},
  };
  return sweeps;
}

}  // namespace

std::vector<std::string> sweep_names() { return names_of(all_sweeps()); }

void apply_sweep(const std::string& name, const SweepKeeps& keeps, CompareOptions& options) {
  const Sweep& sweep = axis_called(name, all_sweeps());
  sweep.apply(keeps.values, options);
  if (keeps.algorithms) return;
  options.algorithms.clear();
  for (const Algorithm& algorithm : table_algorithms()) {
    if (algorithm.kind == OperationKind::find && algorithm.axes.*sweep.depends)
      options.algorithms.push_back(&algorithm);
  }
}

}  // namespace hashmill::perf
