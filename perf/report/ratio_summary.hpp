#pragma once

#include <iosfwd>
#include <vector>

#include "case/compare_result.hpp"
#include "table_columns.hpp"

namespace hashmill::perf {

/// Prints ratios of speed on the same keys and backend: ours to each peer, V2 to V1, and Probe-New
/// to Probe-Standard; and a GPU to the host. There is one line per pair and one column per
/// combination of the axes. All are for memory of one kind. A row that runs only in the other kind
/// has one figure for both.
void print_ratios(std::ostream& out, const std::vector<CompareResult>& results,
                  const std::vector<CompareCase>& plan, const TableAxesView& axes,
                  RunMemory memory);

}  // namespace hashmill::perf
