#pragma once

#include <algorithm>
#include <hashmill/error.hpp>
#include <hashmill/row.hpp>
#include <string>

#include "compare_case.hpp"

namespace hashmill::perf {

/// Throws `InvalidArgument` where a side has more rows than 32 bits number.
inline void check_sides(const DataAxes& data) {
  const auto largest = static_cast<std::uint64_t>(no_row<std::uint32_t>);
  if (std::max(data.num_keys, data.num_queries) > largest) {
    throw InvalidArgument("--n: rows have 32-bit numbers here, so a side has at most " +
                          std::to_string(largest) + ", not " +
                          std::to_string(std::max(data.num_keys, data.num_queries)));
  }
}

}  // namespace hashmill::perf
