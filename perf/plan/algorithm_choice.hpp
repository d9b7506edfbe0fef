#pragma once

#include <span>
#include <string>
#include <vector>

#include "case/algorithm.hpp"

namespace hashmill::perf {

/// The algorithms of `all` that `names` name, in its order: their own names, or all, ours and
/// peers. Throws `InvalidArgument` where there is none of a name.
std::vector<const Algorithm*> select_algorithms(std::span<const Algorithm> all,
                                                const std::vector<std::string>& names);

/// Prints the names, and what they stand for.
void list_algorithms(std::span<const Algorithm> all);

}  // namespace hashmill::perf
