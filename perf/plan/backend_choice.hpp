#pragma once

#include <string>
#include <vector>

#include "case/algorithm.hpp"
#include "machine/backend_info.hpp"

namespace hashmill::perf {

/// The backends that `names` name, case ignored; all where it is empty. Throws `InvalidArgument`
/// where one is not compiled in.
std::vector<BackendInfo> choose_backends(const std::vector<std::string>& names,
                                         const std::vector<BackendInfo>& backends);

/// Whether an algorithm runs on a backend.
bool runs_here(const Algorithm& algorithm, const BackendInfo& backend);

}  // namespace hashmill::perf
