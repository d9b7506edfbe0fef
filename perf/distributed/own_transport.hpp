#pragma once

#include <mpi.h>

#include "rank_row.hpp"

namespace hashmill::perf {

/// What `--transport` names: what our communicator talks through, and what programs without us
/// call.
struct OwnTransport {
  const char* name;
  /// What our communicator of the ranks talks through. Collective.
  std::unique_ptr<backends::Transport> (*make)(MPI_Comm, const CommunicationOptions&);
  /// The transport's own exchanges, of the ranks of an MPI communicator, which outlives them.
  /// Collective.
  OwnExchanges (*exchanges)(MPI_Comm);
};

/// MPI.
OwnTransport mpi_transport();

/// NCCL, for GPUs. Its `make` is null in a build without it.
OwnTransport nccl_transport();

}  // namespace hashmill::perf
