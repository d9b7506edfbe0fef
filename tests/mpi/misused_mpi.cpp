// A program that uses MPI as it may not be used: a communicator after MPI_Finalize, or a rank whose
// MPI is not for programs with threads.
//
//     mpirun -n 2 misused_mpi finalized|threads

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>
#include <hashmill/mpi_communicator.hpp>
#include <optional>
#include <string>

namespace {

using namespace hashmill;

/// Whether a call throws InvalidArgument with a text that contains `expected`.
template <class Call>
bool refuses(const Call& call, const std::string& expected) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    const bool fits = std::string(error.what()).find(expected) != std::string::npos;
    if (!fits) std::printf("unexpected: %s\n", error.what());
    return fits;
  }
  std::printf("nothing was thrown\n");
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argv[1];
  const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
  const bool alone = what == "threads" && rank != nullptr && std::string(rank) == "1";
  int threads = 0;
  MPI_Init_thread(&argc, &argv, alone ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED, &threads);
  bool fine = true;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    std::optional<Communicator> world;
    const auto connect = [&] { world.emplace(mpi_communicator(MPI_COMM_WORLD)); };
    if (what == "threads") {
      fine = refuses(connect, alone ? "without threads" : "rank 1");
      MPI_Finalize();
    } else {
      connect();
      MPI_Finalize();
      fine = refuses([&] { world->barrier(); }, "MPI_Finalize");
      fine = refuses(connect, "MPI_Finalize") && fine;
    }
  }
  return fine ? 0 : 1;
}
