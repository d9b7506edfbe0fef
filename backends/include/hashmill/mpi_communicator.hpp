#pragma once

#include <hashmill/backends/mpi_transport.hpp>
#include <hashmill/communicator.hpp>

namespace hashmill {

/// The ranks of an MPI communicator, of which this takes a duplicate. Collective. Needs
/// MPI_THREAD_FUNNELED, and calls MPI from the thread that calls it only: with FUNNELED, the one
/// that initialized MPI. Copies of the result may outlive MPI_Finalize, but are used no more. CPU
/// and GPU ranks may be mixed. Device memory that MPI cannot reach moves only while this rank waits
/// in a call of the communicator, or of its parts.
///
/// Throws InvalidArgument where MPI cannot be used, or where the options of a rank are wrong, on
/// all ranks. Throws CommunicationError where not all ranks call it within `options.timeout`.
[[nodiscard]] inline Communicator mpi_communicator(MPI_Comm communicator,
                                                   const CommunicationOptions& options = {}) {
  return Communicator(std::make_unique<backends::MpiTransport>(communicator, options), options);
}

}  // namespace hashmill
