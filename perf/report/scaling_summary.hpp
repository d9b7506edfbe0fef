#pragma once

#include <functional>
#include <iosfwd>
#include <vector>

#include "case/compare_result.hpp"

namespace hashmill::perf {

/// Prints how many times faster each structure is with more threads than with one: a line for each,
/// a column for each number of threads, of several inputs the middle one; and before them, what the
/// machine's cores give, `arithmetic_of(threads)`. Nothing where the rows have one number of
/// threads.
void print_scaling(std::ostream& out, const std::vector<CompareResult>& results,
                   const std::function<double(unsigned)>& arithmetic_of);

}  // namespace hashmill::perf
