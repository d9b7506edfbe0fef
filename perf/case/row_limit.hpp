#pragma once

#include <algorithm>
#include <cmath>
#include <hashmill/error.hpp>
#include <hashmill/row.hpp>
#include <string>

#include "compare_case.hpp"

namespace hashmill::perf {

/// Throws `InvalidArgument` where keys would have to occur a fraction of a time, or fewer values
/// are there than keys are drawn from.
inline void check_multiplicity(const DataAxes& data) {
  const double multiplicity = data.multiplicity;
  if (!is_left_to_chance(data.order) &&
      (multiplicity < 1 || multiplicity != std::floor(multiplicity)))
    throw InvalidArgument("--multiplicity: " + plain_number(multiplicity) +
                          " times is a mean, of "
                          "--order drawn; of --order " +
                          to_string(data.order) + " keys occur a whole number of times");
  const double num_distinct = std::ceil(static_cast<double>(data.num_keys) / multiplicity);
  const double most = data.key_bits == 32 ? 0x1.0p31 : 0x1.0p52;
  if (is_left_to_chance(data.order) && num_distinct > most) {
    throw InvalidArgument("--multiplicity: " + plain_number(multiplicity) + " draws " +
                          plain_number(static_cast<double>(data.num_keys)) + " keys of " +
                          plain_number(num_distinct) + ", and keys of " +
                          std::to_string(data.key_bits) + " bits are drawn of at most " +
                          plain_number(most));
  }
}

/// Throws `InvalidArgument` where a side has more rows than 32 bits number, and as
/// check_multiplicity.
inline void check_sides(const DataAxes& data) {
  const auto largest = static_cast<std::uint64_t>(no_row<std::uint32_t>);
  if (std::max(data.num_keys, data.num_queries) > largest) {
    throw InvalidArgument("--n: rows have 32-bit numbers here, so a side has at most " +
                          std::to_string(largest) + ", not " +
                          std::to_string(std::max(data.num_keys, data.num_queries)));
  }
  check_multiplicity(data);
}

}  // namespace hashmill::perf
