#pragma once

#include "case/compare_case.hpp"

namespace hashmill::perf {

/// Throws `InvalidArgument` where an input cannot be made. Reasons are more rows than 32 bits
/// number, more keys than a file has, keys that would have to occur a fraction of a time, and fewer
/// values than keys are drawn from.
void check_input(const DataAxes& data);

}  // namespace hashmill::perf
