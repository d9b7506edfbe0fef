#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/error.hpp>
#include <memory>
#include <string>
#include <vector>

#include "compare_case.hpp"
#include "operation.hpp"

namespace hashmill::perf {

/// All algorithms for one execution space and one key type, with the data they share.
class Suite {
 public:
  virtual ~Suite() = default;

  /// Execution space, as Kokkos names it.
  virtual std::string backend() const = 0;

  /// Bits of a key: 32, 64 or 128.
  virtual unsigned key_bits() const = 0;

  /// Whether its keys are spread over columns, see KeyColumns, rather than a view.
  virtual bool takes_columns() const { return false; }

  /// Makes ready the data that a case needs, keeping what the last case left where it is the same,
  /// and returns the case's work. Throws `CapacityError` if it does not fit the memory.
  virtual std::unique_ptr<Operation> make_operation(const CompareCase& wanted) = 0;

  /// The bins that a case which asks for some will make.
  virtual std::uint64_t planned_bins(const CompareCase& wanted) const { return wanted.table.bins; }

  /// Frees the data and tables.
  virtual void clear() = 0;
};

/// The suite of a row. Throws `InvalidArgument` where there is none.
inline Suite& suite_of(const std::vector<std::unique_ptr<Suite>>& suites, const CompareCase& row) {
  const auto found = std::ranges::find_if(suites, [&](const auto& suite) {
    return suite->backend() == row.backend && suite->key_bits() == row.data.key_bits &&
           suite->takes_columns() == (row.data.columns != KeyColumns::one);
  });
  if (found == suites.end()) throw InvalidArgument("no suite for " + benchmark_name(row));
  return **found;
}

/// The suites of one key type, one for each execution space compiled in. Each is its own source
/// file, so that they compile side by side.
std::vector<std::unique_ptr<Suite>> make_suites_32();
std::vector<std::unique_ptr<Suite>> make_suites_64();
std::vector<std::unique_ptr<Suite>> make_suites_128();

}  // namespace hashmill::perf
