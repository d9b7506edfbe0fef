#pragma once

#include <cstdint>
#include <string>

#include "byte_budget.hpp"

namespace hashmill::perf {

/// One timed piece of work on data that is already there.
class Operation {
 public:
  virtual ~Operation() = default;

  /// Gets ready for the next run, untimed: frees the result of the last one.
  virtual void prepare() {}

  /// The timed work. Complete when it returns.
  virtual void run() = 0;

  /// Checks the result of the last run against answers computed without the table. Empty if it is
  /// right, else one line that says what is wrong.
  virtual std::string verify() = 0;

  /// Keys that a run handles, the numerator of Gkeys/s.
  virtual std::uint64_t num_items() const = 0;

  /// Bytes that a run must move at least.
  virtual ByteBudget traffic() const = 0;
};

}  // namespace hashmill::perf
