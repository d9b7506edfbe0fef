#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "byte_budget.hpp"

namespace hashmill::perf {

/// What memory a run finds, beside its inputs and, in look-ups, inserts and churns, the table.
enum class RunMemory {
  fresh,  ///< none: temporary memory, tables and results are allocated within the time
  kept    ///< what the run before took, wherever the structure can use it again
};

/// What else a run tells of itself, such as the bytes that it wrote to a file.
struct RunFigure {
  const char* counter;  ///< in Google Benchmark's JSON
  double value;
};

/// One timed piece of work on data that is already there.
class Operation {
 public:
  virtual ~Operation() = default;

  /// Whether runs can find such memory. What always allocates has no `kept` runs, and what never
  /// does no `fresh` ones.
  virtual bool runs_in(RunMemory) const { return true; }

  /// Gets ready for the next run, untimed: frees what of the last one that run must not find.
  virtual void prepare(RunMemory memory) = 0;

  /// The timed work. Complete when it returns.
  virtual void run() = 0;

  /// Checks the result of the last run against answers computed without the table. Empty if it is
  /// right, else one line that says what is wrong.
  virtual std::string verify() = 0;

  /// Keys that a run handles, the numerator of Gkeys/s.
  virtual std::uint64_t num_items() const = 0;

  /// Bytes that a run must move at least.
  virtual ByteBudget traffic() const = 0;

  /// What else there is to tell of the last run, in the same order each time.
  virtual std::vector<RunFigure> figures() const { return {}; }
};

}  // namespace hashmill::perf
