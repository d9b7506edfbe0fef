#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <hashmill/distributed_hash_graph.hpp>
#include <hashmill/mpi_communicator.hpp>

int main(int argc, char** argv) {  // mpirun -n 4 my_program
  using Exec = Kokkos::DefaultExecutionSpace;
  int threads = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  Kokkos::initialize(argc, argv);
  {
    const auto ranks = hashmill::mpi_communicator(MPI_COMM_WORLD);
    Kokkos::View<std::uint64_t*, Exec> keys("keys", 1000),
        counts("counts", 1000);  // all keys are 0
    const hashmill::DistributedHashGraph<std::uint64_t, Exec::memory_space> table(Exec(), ranks,
                                                                                  keys);
    table.count(Exec(), keys, counts);  // counts(i): the rows of all ranks with key keys(i)
    const auto first = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts)(0);
    if (first != 1000U * ranks.size()) ranks.abort(1);
  }
  Kokkos::finalize();
  MPI_Finalize();
}
