#pragma once

#include <memory>
#include <vector>

#include "case/suite.hpp"

namespace hashmill::perf {

/// The joins of one key type, a suite for each execution space compiled in. Each is its own source
/// file, so that they compile side by side.
std::vector<std::unique_ptr<Suite>> make_join_suites_32();
std::vector<std::unique_ptr<Suite>> make_join_suites_64();

/// The same of keys that are spread over columns.
std::vector<std::unique_ptr<Suite>> make_column_join_suites_32();
std::vector<std::unique_ptr<Suite>> make_column_join_suites_64();

}  // namespace hashmill::perf
