#pragma once

#include <span>
#include <string_view>

#include "case/algorithm.hpp"

namespace hashmill::perf {

/// Every algorithm on tables compiled into this program, in the order in which they are shown:
/// those of one operation side by side.
std::span<const Algorithm> table_algorithms();

/// The one called `name`, or nullptr.
const Algorithm* find_table_algorithm(std::string_view name);

}  // namespace hashmill::perf
