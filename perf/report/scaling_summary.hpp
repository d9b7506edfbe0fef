#pragma once

#include <functional>
#include <iosfwd>
#include <vector>

#include "case/compare_result.hpp"

namespace hashmill::perf {

/// Prints how many times faster each structure is with more threads than with one. There is one
/// line per structure and one column per number of threads; of several inputs it takes the median.
/// Before them it prints what the machine's cores provide, `arithmetic_of(threads)`. Prints nothing
/// where all rows have the same number of threads.
void print_scaling(std::ostream& out, const std::vector<CompareResult>& results,
                   const std::function<double(unsigned)>& arithmetic_of);

}  // namespace hashmill::perf
