#pragma once

#include <array>
#include <hashmill/communicator.hpp>
#include <string>

namespace hashmill::perf {

/// What the seconds of a run went to, in the order of the table.
enum class RunPhase {
  count_bins,   ///< kernels that count the rows of bins
  add_bins,     ///< waits for the counts of all ranks
  filter,       ///< kernels of filters, and those that look for heavy keys
  partition,    ///< kernels that bring rows into the order of their ranks
  sizes,        ///< waits for sizes, and for the agreement of all ranks
  exchange,     ///< waits for rows
  build,        ///< kernels of tables that are built
  look_up,      ///< kernels of look-ups and intersections in a rank's table
  join,         ///< kernels that find the pairs of a rank's rows, with their tables
  gather,       ///< kernels that write the columns of joined rows, or the keys of groups
  group,        ///< kernels that group and aggregate rows on a rank
  put_answers,  ///< kernels that bring answers into the order of the queries
  other         ///< all else: memory, copies, other kernels and code of the host
};
inline constexpr std::size_t num_run_phases = 13;

/// The seconds of a run by `RunPhase`.
using PhaseSeconds = std::array<double, num_run_phases>;

/// "count bins" and so on.
const char* name_of(RunPhase phase);

/// The phase of a kernel, by its label and the open region of work on one rank's rows, or "". That
/// is a join, a group-by or a gather, else the innermost region of a table or filter.
RunPhase phase_of_kernel(const std::string& label, const std::string& rank_region);

/// The phase of a wait, by the name that a communicator gives it.
RunPhase phase_of_wait(const std::string& name);

/// Measures the phases of what runs between its construction and `finish`. Kernels are fenced, so
/// they overlap nothing. One at a time exists, and no kernel is launched by other threads.
class PhaseClock {
 public:
  /// `timed` is what the run communicates through.
  explicit PhaseClock(Communicator timed);
  PhaseClock(const PhaseClock&) = delete;
  PhaseClock& operator=(const PhaseClock&) = delete;
  ~PhaseClock();

  /// The phases of a run of so many seconds.
  PhaseSeconds finish(double seconds);

 private:
  Communicator timed_;
  CommunicationStatistics before_;
};

/// The means over all ranks. Collective.
PhaseSeconds mean_phases(const Communicator& ranks, const PhaseSeconds& mine);

}  // namespace hashmill::perf
