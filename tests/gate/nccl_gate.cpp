// Instantiates the communicators that move memory of a GPU; compiled, never run. See
// CMakeLists.txt.

#include <hashmill/nccl_communicator.hpp>

namespace hashmill::gate {

Communicator call_mpi(MPI_Comm ranks) {
  return mpi_communicator(ranks, {.gpu_aware = GpuAware::no});
}
Communicator call_nccl(MPI_Comm ranks) { return nccl_communicator(ranks); }
Communicator call_nccl(MPI_Comm ranks, ncclComm_t gpus) { return nccl_communicator(ranks, gpus); }

}  // namespace hashmill::gate
