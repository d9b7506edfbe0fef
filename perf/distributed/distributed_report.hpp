#pragma once

#include <iosfwd>

#include "distributed_options.hpp"
#include "rank_times.hpp"

namespace hashmill::perf {

/// What one phase of a communicator did, on all ranks.
struct PhaseSummary {
  std::string name;
  std::uint64_t calls = 0;       ///< of a rank
  std::uint64_t bytes_sent = 0;  ///< by all ranks
  double seconds = 0;            ///< that the slowest rank waited
};

/// The phases of a communicator so far, which are the same on all ranks. Collective over `control`.
std::vector<PhaseSummary> summarise_phases(const Communicator& control,
                                           const CommunicationStatistics& statistics);

/// Prints what the ranks are and what the columns mean.
void print_ranks(std::ostream& out, const Communicator& ranks, const DistributedOptions& options);

/// Prints a line for each result.
void print_results(std::ostream& out, const std::vector<RankResult>& results);

/// Prints a line for each phase.
void print_phases(std::ostream& out, const std::vector<PhaseSummary>& phases);

/// Writes the results to a file, as Google Benchmark's JSON. Throws `InvalidArgument` where it
/// cannot be written.
void write_json(const std::string& path, const std::vector<RankResult>& results);

}  // namespace hashmill::perf
