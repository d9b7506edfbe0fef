#pragma once

#include <memory>
#include <vector>

#include "case/workload.hpp"
#include "compare_options.hpp"
#include "machine/backend_info.hpp"

namespace hashmill::perf {

/// The rows to run, in the order of the table: one block per set of keys, in it one group per
/// operation. Combinations that differ only in an axis an algorithm does not depend on are run
/// once. Rows beyond what a table can do are left out, with a note.
///
/// Throws `InvalidArgument` if a backend is not compiled in or a size exceeds what the tables here
/// can number, or if nothing is left.
Plan plan_tables(const CompareOptions& options, const std::vector<BackendInfo>& backends,
                 const std::shared_ptr<const KeyFile>& file);

}  // namespace hashmill::perf
