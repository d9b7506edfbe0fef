// Ranks that make a call, in which the last rank fails. The others report what they see:
//
//     mpirun -n 3 faulty_rank HOW CALL[:OPERATION]
//
// HOW is exit, kill or stop. CALL is one of those below. The last rank fails as it begins that
// operation of the call, counted from 0. Each survivor prints "rank R: step S, failed rank F" and
// ends in order.

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <hashmill/distributed_hash_graph.hpp>
#include <hashmill/mpi_communicator.hpp>
#include <hashmill/shuffle.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "faults/faulty_transport.hpp"

namespace {

using namespace hashmill;
using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Table = DistributedHashGraph<std::uint64_t, Space>;

constexpr CommunicationOptions options{
    .timeout = std::chrono::seconds(3), .gpu_aware = GpuAware::no, .staging_bytes = 64 << 10};

void fail(const std::string& how) {
  if (how == "exit") _exit(3);
  kill(getpid(), how == "kill" ? SIGKILL : SIGSTOP);
}

/// With many messages that are staged.
void exchange_device_memory(const Communicator& ranks) {
  constexpr std::size_t bytes = 1 << 20;
  const Kokkos::View<std::byte*, Space> out("out", bytes),
      in("in", bytes * std::size_t(ranks.size()));
  std::vector<backends::Send> sends;
  std::vector<backends::Receive> receives;
  for (int r = 0; r < ranks.size(); ++r) {
    sends.push_back({r, out.data(), bytes});
    receives.push_back({r, in.data() + bytes * std::size_t(r), bytes});
  }
  ranks.exchange({sends, receives, 0, backends::MemoryKind::device}, "exchange");
}

struct WriteKeys {
  Kokkos::View<std::uint64_t*, Space> keys;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { keys(i) = murmur3_fmix64(i); }
};

/// Enough words for messages that wait for their receivers.
void make_call(const Communicator& ranks, const std::string& call,
               const std::function<void()>& arm) {
  std::vector<std::uint64_t> words(1 << 20), all(words.size() * std::size_t(ranks.size()));
  const Kokkos::View<std::uint64_t*, Space> keys("keys", 1 << 18), rows("rows", keys.extent(0));
  Kokkos::parallel_for("keys", Kokkos::RangePolicy<Exec>(0, keys.extent(0)), WriteKeys{keys});
  Workspace<Space> workspace;
  std::optional<Table> table;
  if (call == "find") table.emplace(Exec(), ranks, keys);
  arm();
  if (call == "meet") ranks.barrier("meet");
  if (call == "all-gather") {
    ranks.all_gather(std::span<const std::uint64_t>(words), std::span(all), "all-gather");
  }
  if (call == "all-to-all") {
    ranks.all_to_all(std::span<const std::uint64_t>(all), std::span(all), "all-to-all");
  }
  if (call == "all-reduce") ranks.all_reduce(words, Reduction::sum, "all-reduce");
  if (call == "split") static_cast<void>(ranks.split(0, 0));
  if (call == "exchange") exchange_device_memory(ranks);
  if (call == "shuffle") {
    static_cast<void>(shuffle(Exec(), ranks, keys, workspace, keys, rows));
  }
  if (call == "build") table.emplace(Exec(), ranks, keys);
  if (call == "find") table->find(Exec(), keys, rows);
}

void run(const std::string& how, const std::string& call, test::Fault& fault) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool fails = rank == size - 1;
  if (call == "connect" && fails) fail(how);
  const Communicator ranks(
      std::make_unique<test::FaultyTransport>(
          std::make_unique<backends::MpiTransport>(MPI_COMM_WORLD, options), fault),
      options);
  make_call(ranks, call, [&] { fault.counts = fails; });
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 0, result = 1, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  Kokkos::initialize(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string how = argv[1], place = argv[2];
  const std::size_t colon = place.find(':');
  const std::uint64_t operation =
      colon == std::string::npos ? 0 : std::strtoull(place.c_str() + colon + 1, nullptr, 10);
  test::Fault fault{test::Fault::When::start, operation, [&] { fail(how); }};
  const auto began = std::chrono::steady_clock::now();
  try {
    run(how, place.substr(0, colon), fault);
    std::printf("rank %d: nothing failed\n", rank);
  } catch (const CommunicationError& error) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began;
    std::printf("rank %d: step %s, failed rank %d, after %.1f s: %s\n", rank, error.phase().c_str(),
                error.failed_rank(), taken.count(), error.what());
    result = 0;
  }
  std::fflush(stdout);
  sleep(1);       // so that the others see who failed first
  _exit(result);  // MPI_Finalize would wait for the rank that failed
}
