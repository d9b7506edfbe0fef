#pragma once

#include <iosfwd>
#include <vector>

#include "case/compare_result.hpp"
#include "table_columns.hpp"

namespace hashmill::perf {

/// Prints how many times faster ours is than each peer on the same keys and backend, V2 than V1,
/// Probe-New than Probe-Standard, and a GPU than the host: a line for each pair, a column for each
/// combination of the axes. In memory of one kind; a row that runs in the other alone has one
/// figure for both.
void print_ratios(std::ostream& out, const std::vector<CompareResult>& results,
                  const std::vector<CompareCase>& plan, const TableAxesView& axes,
                  RunMemory memory);

}  // namespace hashmill::perf
