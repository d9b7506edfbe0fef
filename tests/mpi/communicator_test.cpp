#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <hashmill/mpi_communicator.hpp>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "communicator_cases.hpp"

namespace {

using namespace hashmill;

class MpiRanks : public ::testing::TestWithParam<test::CommunicatorCase> {};

TEST_P(MpiRanks, Case) { GetParam().run(mpi_communicator(MPI_COMM_WORLD)); }

INSTANTIATE_TEST_SUITE_P(Communicator, MpiRanks, ::testing::ValuesIn(test::communicator_cases),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// Device memory is staged, in rings so small that messages wait for room.
TEST_P(MpiRanks, StagedCase) {
  const CommunicationOptions options{.gpu_aware = GpuAware::no, .staging_bytes = 64 << 10};
  GetParam().run(mpi_communicator(MPI_COMM_WORLD, options));
}

/// Ranks that stage, in rings of different bytes, and ranks that do not.
TEST_P(MpiRanks, MixedCase) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  constexpr bool reachable = backends::memory_kind<Kokkos::DefaultExecutionSpace::memory_space> ==
                             backends::MemoryKind::host;
  const CommunicationOptions options{
      .gpu_aware = rank % 3 == 0 && reachable ? GpuAware::yes : GpuAware::no,
      .staging_bytes = std::uint64_t{20000} << (rank % 3)};
  GetParam().run(mpi_communicator(MPI_COMM_WORLD, options));
}

TEST(MpiCommunicator, ReadsFromTheEnvironmentWhetherToStage) {
  ASSERT_EQ(setenv("HASHMILL_MPI_GPU_AWARE", "0", 1), 0);
  test::exchanges_device_memory(mpi_communicator(MPI_COMM_WORLD));
  EXPECT_FALSE(backends::mpi_is_gpu_aware(GpuAware::automatic));
  EXPECT_TRUE(backends::mpi_is_gpu_aware(GpuAware::yes));
  ASSERT_EQ(setenv("HASHMILL_MPI_GPU_AWARE", "1", 1), 0);
  EXPECT_TRUE(backends::mpi_is_gpu_aware(GpuAware::automatic));
  EXPECT_FALSE(backends::mpi_is_gpu_aware(GpuAware::no));
  ASSERT_EQ(setenv("HASHMILL_MPI_GPU_AWARE", "maybe", 1), 0);
  EXPECT_THROW(static_cast<void>(mpi_communicator(MPI_COMM_WORLD)), InvalidArgument);
  ASSERT_EQ(unsetenv("HASHMILL_MPI_GPU_AWARE"), 0);
}

/// All throw, and none waits for the one that did.
TEST(MpiCommunicator, RefusesTooFewStagingBytesOfOneRank) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  CommunicationOptions options{.gpu_aware = GpuAware::no};
  if (rank == 0) options.staging_bytes = 1023;
  EXPECT_THROW(static_cast<void>(mpi_communicator(MPI_COMM_WORLD, options)), InvalidArgument);
  options.staging_bytes = 1024;
  const Communicator world = mpi_communicator(MPI_COMM_WORLD, options);
  const test::DeviceExchange exchange(world, false, 2, 500, 0);
  exchange.start(backends::MemoryKind::device).finish();
  exchange.expect_all();
}

TEST(MpiCommunicator, RefusesStagedPiecesOfDifferentLengths) {
  const Communicator world = mpi_communicator(
      MPI_COMM_WORLD, {.timeout = std::chrono::seconds(5), .gpu_aware = GpuAware::no});
  if (world.size() != 2) GTEST_SKIP() << "needs two ranks";
  const test::DeviceWords words(std::vector<std::uint64_t>(10));
  const backends::Send send{1, words.data(), 8};
  const backends::Receive receive{0, words.data(), 16};
  backends::Exchange exchange{{}, {}, 0, backends::MemoryKind::device};
  if (world.rank() == 0) {
    exchange.sends = {&send, 1};
    world.exchange(exchange);
  } else {
    exchange.receives = {&receive, 1};
    EXPECT_THROW(world.exchange(exchange), CommunicationError);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(MpiCommunicator, HasTheRanksOfMpi) {
  int rank = -1, size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const Communicator world = mpi_communicator(MPI_COMM_WORLD);
  EXPECT_EQ(world.rank(), rank);
  EXPECT_EQ(world.size(), size);
  EXPECT_EQ(world.places().num_nodes(), 1);
}

TEST(MpiCommunicator, OutlivesTheCallersHandle) {
  MPI_Comm theirs = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &theirs);
  const Communicator world = mpi_communicator(theirs);
  MPI_Comm_free(&theirs);
  test::gathers(world);
}

TEST(MpiCommunicator, TakesAPartOfTheRanks) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
  {
    const Communicator ranks = mpi_communicator(part);
    test::gathers(ranks);
    test::reduces(ranks);
  }
  MPI_Comm_free(&part);
}

TEST(MpiCommunicator, RefusesANullCommunicator) {
  EXPECT_THROW(static_cast<void>(mpi_communicator(MPI_COMM_NULL)), InvalidArgument);
}

TEST(MpiCommunicator, LeavesTheCallersErrorHandlerAlone) {
  MPI_Errhandler before = MPI_ERRHANDLER_NULL, after = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
  const Communicator world = mpi_communicator(MPI_COMM_WORLD);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &after);
  EXPECT_EQ(before, after);
}

TEST(MpiCommunicator, RefusesArraysOfDifferentLengths) {
  const Communicator world = mpi_communicator(MPI_COMM_WORLD, {.timeout = std::chrono::seconds(5)});
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  std::vector<std::uint64_t> words(world.rank() == 0 ? 2 : 200);
  EXPECT_THROW(world.all_reduce(words, Reduction::sum, "add"), CommunicationError);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(MpiCommunicator, RefusesAnotherThreadThanTheFirst) {
  const Communicator world = mpi_communicator(MPI_COMM_WORLD);
  int threads = MPI_THREAD_SINGLE;
  MPI_Query_thread(&threads);
  if (threads != MPI_THREAD_FUNNELED) GTEST_SKIP() << "MPI serves all threads";
  std::thread([&] { EXPECT_THROW(world.barrier(), InvalidArgument); }).join();
  EXPECT_THROW(world.barrier(), CommunicationError);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Each rank sends the next one more bytes than an int counts. Takes 8 GiB on two ranks, so only
/// where HASHMILL_LARGE_TESTS is set.
TEST(MpiCommunicator, ExchangesMoreThanTwoGigabytes) {
  const Communicator world = mpi_communicator(MPI_COMM_WORLD);
  if (std::getenv("HASHMILL_LARGE_TESTS") == nullptr) GTEST_SKIP() << "HASHMILL_LARGE_TESTS";
  const int next = (world.rank() + 1) % world.size();
  const int previous = (world.rank() + world.size() - 1) % world.size();
  std::vector<std::uint64_t> out((std::size_t{1} << 28) + 3), in(out.size());
  std::iota(out.begin(), out.end(), test::word(world.rank(), 0, 0));
  const std::uint64_t bytes = out.size() * sizeof(std::uint64_t);
  ASSERT_GT(bytes, std::uint64_t{1} << 31);
  const backends::Send send{next, reinterpret_cast<const std::byte*>(out.data()), bytes};
  const backends::Receive receive{previous, reinterpret_cast<std::byte*>(in.data()), bytes};
  world.exchange({{&send, 1}, {&receive, 1}});
  for (std::uint64_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(in[i], test::word(previous, 0, 0) + i);
  }
}

/// The messages of pieces around the limit, which is an int in MPI.
TEST(MpiMessages, CutPiecesAtTheLimit) {
  const auto messages = [](std::uint64_t bytes, std::uint64_t most) {
    std::vector<std::pair<std::uint64_t, int>> all;
    backends::for_each_message(
        bytes, most, [&](std::uint64_t begin, int length) { all.emplace_back(begin, length); });
    return all;
  };
  using Messages = std::vector<std::pair<std::uint64_t, int>>;
  EXPECT_EQ(messages(0, 4), (Messages{{0, 0}}));
  EXPECT_EQ(messages(3, 4), (Messages{{0, 3}}));
  EXPECT_EQ(messages(4, 4), (Messages{{0, 4}}));
  EXPECT_EQ(messages(9, 4), (Messages{{0, 4}, {4, 4}, {8, 1}}));
  constexpr std::uint64_t most = std::uint64_t{1} << 22;
  const auto many = messages((std::uint64_t{3} << 31) + 5, most);
  ASSERT_EQ(many.size(), 1537U);
  EXPECT_EQ(many.back(), (std::pair<std::uint64_t, int>(std::uint64_t{3} << 31, 5)));
}

}  // namespace
