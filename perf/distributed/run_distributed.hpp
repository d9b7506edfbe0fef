#pragma once

#include "distributed_options.hpp"

namespace hashmill::perf {

/// Times the operations on the ranks of MPI, and verifies every run; the exit code. MPI is
/// initialised here. Rank 0 prints. Throws `InvalidArgument` in a build without MPI.
int run_distributed(const DistributedOptions& options);

}  // namespace hashmill::perf
