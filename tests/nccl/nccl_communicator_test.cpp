#include <gtest/gtest.h>
#include <mpi.h>

#include <hashmill/nccl_communicator.hpp>
#include <string>

#include "communicator_cases.hpp"
#include "own_gpus.hpp"

namespace {

using namespace hashmill;

class NcclRanks : public ::testing::TestWithParam<test::CommunicatorCase> {
 protected:
  void SetUp() override {
    if (!test::have_own_gpus()) GTEST_SKIP();
  }
};

TEST_P(NcclRanks, Case) { GetParam().run(nccl_communicator(MPI_COMM_WORLD)); }

INSTANTIATE_TEST_SUITE_P(Communicator, NcclRanks, ::testing::ValuesIn(test::communicator_cases),
                         [](const auto& tested) { return std::string(tested.param.name); });

class NcclCommunicator : public NcclRanks {};

/// The caller's communicator numbers the ranks the other way round.
TEST_P(NcclCommunicator, TakesThePlaceOfTheCallers) {
  int rank = -1, size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ncclUniqueId id;
  if (rank == 0) ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t theirs = nullptr;
  ASSERT_EQ(ncclCommInitRank(&theirs, size, id, size - 1 - rank), ncclSuccess);
  GetParam().run(nccl_communicator(MPI_COMM_WORLD, theirs));
  int count = 0;
  EXPECT_EQ(ncclCommCount(theirs, &count), ncclSuccess);
  EXPECT_EQ(count, size);
  EXPECT_EQ(ncclCommDestroy(theirs), ncclSuccess);
}

INSTANTIATE_TEST_SUITE_P(Of, NcclCommunicator,
                         ::testing::Values(test::CommunicatorCase{"exchanges_device_memory",
                                                                  test::exchanges_device_memory}));

/// Pieces of some hundred MiB.
TEST_P(NcclCommunicator, ExchangesLongPieces) {
  const Communicator ranks = nccl_communicator(MPI_COMM_WORLD);
  const int next = (ranks.rank() + 1) % ranks.size();
  const int previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
  constexpr std::uint64_t lengths[] = {std::uint64_t{32} << 20, (std::uint64_t{65} << 20) + 3};
  std::vector<test::DeviceWords> out, in;
  std::vector<backends::Send> sends;
  std::vector<backends::Receive> receives;
  for (const std::uint64_t length : lengths) {
    std::vector<std::uint64_t> words(length);
    std::iota(words.begin(), words.end(), test::word(ranks.rank(), 0, length));
    out.emplace_back(words);
    in.emplace_back(std::vector<std::uint64_t>(length));
    sends.push_back({next, out.back().data(), out.back().bytes()});
    receives.push_back({previous, in.back().data(), in.back().bytes()});
  }
  ranks.exchange({sends, receives, 0, backends::MemoryKind::device}, "test");
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::vector<std::uint64_t> words = in[i].copy();
    for (std::uint64_t at = 0; at < words.size(); ++at) {
      ASSERT_EQ(words[at], test::word(previous, 0, lengths[i]) + at);
    }
  }
}

/// NCCL itself would wait for ever.
TEST_P(NcclCommunicator, RefusesPiecesOfDifferentLengths) {
  const Communicator ranks = nccl_communicator(MPI_COMM_WORLD);
  if (ranks.size() == 1) GTEST_SKIP() << "needs two ranks";
  const test::DeviceWords words(std::vector<std::uint64_t>(1 << 20));
  const backends::Send send{1, words.data(), words.bytes() / 2};
  const backends::Receive receive{0, words.data(), words.bytes()};
  if (ranks.rank() == 0) {  // may end, or see that rank 1 failed
    StartedExchange started =
        ranks.start({{&send, 1}, {}, 0, backends::MemoryKind::device}, "test");
  } else if (ranks.rank() == 1) {
    try {
      ranks.exchange({{}, {&receive, 1}, 0, backends::MemoryKind::device}, "test");
      ADD_FAILURE() << "no CommunicationError";
    } catch (const CommunicationError& error) {
      EXPECT_EQ(error.failed_rank(), 0);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(NcclRefusal, NamesRanksOfOneGpu) {
  try {
    static_cast<void>(nccl_communicator(MPI_COMM_WORLD));
    ADD_FAILURE() << "no InvalidArgument";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("ranks 0 and 1 are both on GPU"), std::string::npos)
        << error.what();
  }
}

TEST(NcclRefusal, RefusesANullCommunicator) {
  EXPECT_THROW(static_cast<void>(nccl_communicator(MPI_COMM_WORLD, nullptr)), InvalidArgument);
}

}  // namespace
