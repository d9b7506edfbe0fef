#pragma once

#include <iosfwd>

#include "distributed_options.hpp"
#include "rank_times.hpp"

namespace hashmill::perf {

/// Prints what the ranks are and what the columns mean.
void print_ranks(std::ostream& out, const Communicator& ranks, const DistributedOptions& options,
                 const std::string& transport);

/// Prints a line for each result.
void print_results(std::ostream& out, const std::vector<RankResult>& results);

/// Prints a line for each result that has phases.
void print_phases(std::ostream& out, const std::vector<RankResult>& results);

/// Writes the results to a file, as Google Benchmark's JSON. Throws `InvalidArgument` where it
/// cannot be written.
void write_json(const std::string& path, const std::vector<RankResult>& results);

}  // namespace hashmill::perf
