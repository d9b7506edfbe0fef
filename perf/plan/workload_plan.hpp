#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "case/workload.hpp"
#include "machine/backend_info.hpp"
#include "workload_options.hpp"

namespace hashmill::perf {

/// A combination of the axes of a workload.
struct WorkloadAxes {
  DataAxes data;
  ResultAxes result;
};

/// Gives every combination of the axes that a command has, for a number of rows.
using CombineAxes = std::function<std::vector<WorkloadAxes>(std::uint64_t num_rows)>;

/// The combinations that both commands have: of key widths, orders, skews and columns.
std::vector<DataAxes> combine_keys(const WorkloadOptions& options, std::uint64_t num_rows);

/// The Zipf exponents of a sweep over the skew.
std::vector<double> swept_skews();

/// Plans every algorithm on every combination and backend that it runs on, at the default sizes of
/// the backend where none is given. What an algorithm cannot do becomes a note.
///
/// Throws `InvalidArgument` if a backend is not compiled in, rows exceed what can be numbered, or
/// nothing is left.
Plan plan_workload(const WorkloadOptions& options, const std::vector<BackendInfo>& backends,
                   const CombineAxes& combine);

}  // namespace hashmill::perf
