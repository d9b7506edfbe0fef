#pragma once

#include <span>
#include <string_view>

namespace hashmill::perf {

/// What follows a number on the command line, and what it is multiplied by.
struct Unit {
  std::string_view name;
  double factor;
};

/// The amount that a number and one of the units name, such as "1.5GB"; not a number if they name
/// none.
double parse_amount(std::string_view text, std::span<const Unit> units);

}  // namespace hashmill::perf
