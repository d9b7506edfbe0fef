#pragma once

#include <hashmill/backends/mpi_transport.hpp>
#include <hashmill/communicator.hpp>

namespace hashmill {

/// The ranks of an MPI communicator, of which this takes a duplicate. Collective. Needs
/// MPI_THREAD_FUNNELED, and calls MPI from the thread that calls it only. Copies of the result must
/// be gone before MPI_Finalize, or be used no more. Throws InvalidArgument where MPI cannot be
/// used.
[[nodiscard]] inline Communicator mpi_communicator(MPI_Comm communicator,
                                                   const CommunicationOptions& options = {}) {
  return Communicator(std::make_unique<backends::MpiTransport>(communicator), options);
}

}  // namespace hashmill
