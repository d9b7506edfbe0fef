#pragma once

#include <string>

#include "compare_case.hpp"

namespace hashmill::perf {

/// What the repetitions of one row came to.
struct CompareResult {
  const CompareCase* row = nullptr;
  unsigned num_repetitions = 0;  ///< those that were run and right
  double median_seconds = 0;
  double first_seconds = 0;                ///< of the run before them, whose memory was new
  double spread = 0;                       ///< (longest - shortest) / median
  double gkeys_per_second = 0;             ///< or of what else the workload counts, at the median
  double gigabytes_per_second = 0;         ///< minimum traffic at the median
  double output_gigabytes_per_second = 0;  ///< what of it is written
  double share_of_copy = 0;                ///< of the backend's measured copy bandwidth
  std::string error;                       ///< why there is no figure; empty if there is one

  bool has_figure() const { return error.empty() && num_repetitions > 0; }
};

}  // namespace hashmill::perf
