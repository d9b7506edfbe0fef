#pragma once

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <iostream>

namespace hashmill::test {

inline int ranks_here() {
  MPI_Comm here = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int size = 0;
  MPI_Comm_size(here, &size);
  MPI_Comm_free(&here);
  return size;
}

/// Whether each rank has a GPU of its own. All ranks of a machine find the same.
inline bool have_own_gpus() {
  if (ranks_here() <= Kokkos::num_devices()) return true;
  std::cout << "skipped: fewer GPUs (" << Kokkos::num_devices() << ") than ranks (" << ranks_here()
            << ")\n";
  return false;
}

}  // namespace hashmill::test
