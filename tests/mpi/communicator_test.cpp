#include <gtest/gtest.h>
#include <mpi.h>

#include <hashmill/mpi_communicator.hpp>

#include "communicator_cases.hpp"

namespace {

using namespace hashmill;

class MpiRanks : public ::testing::TestWithParam<test::CommunicatorCase> {};

TEST_P(MpiRanks, Case) { GetParam().run(mpi_communicator(MPI_COMM_WORLD)); }

INSTANTIATE_TEST_SUITE_P(Communicator, MpiRanks, ::testing::ValuesIn(test::communicator_cases),
                         [](const auto& tested) { return std::string(tested.param.name); });

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

}  // namespace
