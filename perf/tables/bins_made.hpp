#pragma once

#include <cstdint>
#include <functional>

#include "case/workload.hpp"

namespace hashmill::perf {

/// The plan with the bins that its rows will make, `planned(row)`, in place of those that were
/// asked for, so that a table shows what ran. A note says where the two differ; rows that become
/// the same stay once.
Plan with_bins_made(Plan plan, const std::function<std::uint64_t(const CompareCase&)>& planned);

}  // namespace hashmill::perf
