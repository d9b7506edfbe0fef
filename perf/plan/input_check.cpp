#include "input_check.hpp"

#include <algorithm>
#include <cmath>
#include <hashmill/error.hpp>
#include <hashmill/row.hpp>
#include <limits>
#include <string>

#include "keys/tpch_orders.hpp"

namespace hashmill::perf {
namespace {

/// Throws `InvalidArgument` where keys would have to occur a fraction of a time, or fewer values
/// are there than keys are drawn from.
void check_multiplicity(const DataAxes& data) {
  const double multiplicity = data.multiplicity;
  if (!is_left_to_chance(data.order) &&
      (multiplicity < 1 || multiplicity != std::floor(multiplicity))) {
    throw InvalidArgument("--multiplicity: " + plain_number(multiplicity) +
                          " times is a mean, of --order drawn; of --order " +
                          to_string(data.order) + " keys occur a whole number of times");
  }
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

/// Throws `InvalidArgument` where keys of TPC-H do not fit their type.
void check_tpch_keys(const DataAxes& data) {
  if (data.order != KeyOrder::tpch || data.key_bits != 32) return;
  const std::uint64_t largest = TpchOrders<std::uint64_t>(data.num_keys).largest_key();
  if (largest > std::numeric_limits<std::uint32_t>::max()) {
    throw InvalidArgument("--tpch: keys up to " + std::to_string(largest) + " need --key-bits 64");
  }
}

}  // namespace

void check_input(const DataAxes& data) {
  const std::uint64_t rows = std::max(data.num_keys, data.num_queries);
  const auto largest = static_cast<std::uint64_t>(no_row<std::uint32_t>);
  if (rows > largest) {
    throw InvalidArgument("--n: rows have 32-bit numbers here, so at most " +
                          std::to_string(largest) + " keys or queries, not " +
                          std::to_string(rows));
  }
  check_tpch_keys(data);
  check_multiplicity(data);
  if (data.file && data.num_keys > data.file->size()) {
    throw InvalidArgument("--n: " + std::to_string(data.num_keys) + " keys asked for, " +
                          data.file->description());
  }
}

}  // namespace hashmill::perf
