// Ranks that exchange device memory in steps, in one of which the last rank fails. The others
// report what they see, as those of tests/mpi/faulty_rank.cpp do:
//
//     mpirun -n 2 faulty_gpu HOW STEP

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <hashmill/nccl_communicator.hpp>
#include <string>

namespace {

using namespace hashmill;
using Words = Kokkos::View<std::uint64_t*, Kokkos::Cuda::memory_space>;

void fail(const std::string& how) {
  if (how == "exit") _exit(3);
  kill(getpid(), how == "kill" ? SIGKILL : SIGSTOP);
}

void run_steps(const Communicator& ranks, const std::string& how, int failing) {
  const Words out("out", 1 << 24), in("in", 1 << 24);
  const std::uint64_t bytes = out.size() * sizeof(std::uint64_t);
  const backends::Send send{(ranks.rank() + 1) % ranks.size(),
                            reinterpret_cast<const std::byte*>(out.data()), bytes};
  const backends::Receive receive{(ranks.rank() + ranks.size() - 1) % ranks.size(),
                                  reinterpret_cast<std::byte*>(in.data()), bytes};
  // The first finds the ranks not yet connected to each other, the others do.
  const char* const steps[] = {"first", "second", "third"};
  for (int step = 0; step < 3; ++step) {
    if (step == failing && ranks.rank() == ranks.size() - 1) fail(how);
    ranks.exchange({{&send, 1}, {&receive, 1}, 0, backends::MemoryKind::device}, steps[step]);
  }
}

/// Whether a rank saw what failed.
bool sees_failure(const std::string& how, int step) {
  const Communicator ranks =
      nccl_communicator(MPI_COMM_WORLD, {.timeout = std::chrono::seconds(3)});
  const auto began = std::chrono::steady_clock::now();
  try {
    run_steps(ranks, how, step);
    std::printf("rank %d: nothing failed\n", ranks.rank());
    return false;
  } catch (const CommunicationError& error) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
    std::printf("rank %d: step %s, failed rank %d, after %.1f s: %s\n", ranks.rank(),
                error.phase().c_str(), error.failed_rank(), taken.count(), error.what());
    return true;
  }
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  Kokkos::initialize(argc, argv);
  if (Kokkos::num_devices() < 2) std::printf("skipped: fewer GPUs than ranks\n");
  const bool seen = Kokkos::num_devices() >= 2 && sees_failure(argv[1], std::atoi(argv[2]));
  std::fflush(stdout);
  sleep(1);             // so that the others see who failed first
  _exit(seen ? 0 : 1);  // MPI_Finalize would wait for the rank that failed
}
