#pragma once

#include <mpi.h>

#include "rank_row.hpp"

namespace hashmill::perf {

/// What `--transport` names: how our communicator is made, and what programs without us call.
struct OwnTransport {
  const char* name;
  /// A communicator of all ranks. Collective.
  Communicator (*connect)(MPI_Comm, const CommunicationOptions&);
  /// The transport's own exchanges, of the ranks of an MPI communicator, which outlives them.
  /// Collective.
  OwnExchanges (*exchanges)(MPI_Comm);
};

/// MPI.
OwnTransport mpi_transport();

/// NCCL, for GPUs. Its `connect` is null in a build without it.
OwnTransport nccl_transport();

}  // namespace hashmill::perf
