// Ranks that meet in steps, in one of which the last rank fails. The others report what they see:
//
//     mpirun -n 3 faulty_rank HOW STEP
//
// HOW is exit, kill or stop. Each survivor prints "rank R: step S, failed rank F" and ends in
// order.

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hashmill/mpi_communicator.hpp>
#include <span>
#include <vector>

namespace {

using namespace hashmill;

void fail(const char* how) {
  if (std::strcmp(how, "exit") == 0) _exit(3);
  if (std::strcmp(how, "kill") == 0) kill(getpid(), SIGKILL);
  if (std::strcmp(how, "stop") == 0) kill(getpid(), SIGSTOP);
}

/// With many messages that are staged.
void exchange_device_memory(const Communicator& ranks, const char* step) {
  constexpr std::size_t bytes = 1 << 20;
  const Kokkos::View<std::byte*, Kokkos::DefaultExecutionSpace::memory_space> out("out", bytes),
      in("in", bytes * std::size_t(ranks.size()));
  std::vector<backends::Send> sends;
  std::vector<backends::Receive> receives;
  for (int r = 0; r < ranks.size(); ++r) {
    sends.push_back({r, out.data(), bytes});
    receives.push_back({r, in.data() + bytes * std::size_t(r), bytes});
  }
  ranks.exchange({sends, receives, 0, backends::MemoryKind::device}, step);
}

/// Enough words for messages that wait for their receivers.
void run_steps(const Communicator& ranks, const char* how, int failing) {
  std::vector<std::uint64_t> words(1 << 20), all(words.size() * std::size_t(ranks.size()));
  const char* const steps[] = {"meet",       "all-gather", "all-to-all",
                               "all-reduce", "split",      "exchange"};
  for (int step = 0; step < 6; ++step) {
    if (step == failing && ranks.rank() == ranks.size() - 1) fail(how);
    switch (step) {
      case 0:
        ranks.barrier(steps[step]);
        break;
      case 1:
        ranks.all_gather(std::span<const std::uint64_t>(words), std::span(all), steps[step]);
        break;
      case 2:
        ranks.all_to_all(std::span<const std::uint64_t>(all), std::span(all), steps[step]);
        break;
      case 3:
        ranks.all_reduce(words, Reduction::sum, steps[step]);
        break;
      case 4:
        static_cast<void>(ranks.split(0, 0));
        break;
      default:
        exchange_device_memory(ranks, steps[step]);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 0, result = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  Kokkos::initialize(argc, argv);
  const Communicator ranks = mpi_communicator(
      MPI_COMM_WORLD,
      {.timeout = std::chrono::seconds(3), .gpu_aware = GpuAware::no, .staging_bytes = 64 << 10});
  const auto began = std::chrono::steady_clock::now();
  try {
    run_steps(ranks, argv[1], std::atoi(argv[2]));
    std::printf("rank %d: nothing failed\n", ranks.rank());
  } catch (const CommunicationError& error) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
    std::printf("rank %d: step %s, failed rank %d, after %.1f s: %s\n", ranks.rank(),
                error.phase().c_str(), error.failed_rank(), taken.count(), error.what());
    result = 0;
  }
  std::fflush(stdout);
  sleep(1);       // so that the others see who failed first
  _exit(result);  // MPI_Finalize would wait for the rank that failed
}
