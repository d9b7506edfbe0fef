#include <gtest/gtest.h>
#include <mpi.h>

#include <hashmill/nccl_communicator.hpp>
#include <optional>
#include <string>

#include "own_gpus.hpp"
#include "ranks/rank_cases.hpp"

namespace {

using namespace hashmill;

/// What holds for any ranks, over NCCL. All cases share a connection, since to connect takes longer
/// than most of them.
class NcclTables : public ::testing::TestWithParam<test::RankCase> {
 protected:
  static void SetUpTestSuite() {
    if (test::have_own_gpus()) ranks_.emplace(nccl_communicator(MPI_COMM_WORLD));
  }
  static void TearDownTestSuite() { ranks_.reset(); }
  void SetUp() override {
    if (!ranks_) GTEST_SKIP();
  }

  inline static std::optional<Communicator> ranks_;
};

TEST_P(NcclTables, Case) { GetParam().run(*ranks_); }

constexpr auto name = [](const auto& tested) { return std::string(tested.param.name); };
INSTANTIATE_TEST_SUITE_P(Shuffle, NcclTables, ::testing::ValuesIn(test::shuffle_cases()), name);
INSTANTIATE_TEST_SUITE_P(DistributedHashGraph, NcclTables,
                         ::testing::ValuesIn(test::distributed_hash_graph_cases()), name);
INSTANTIATE_TEST_SUITE_P(DistributedGroupBy, NcclTables,
                         ::testing::ValuesIn(test::distributed_group_by_cases()), name);
INSTANTIATE_TEST_SUITE_P(DistributedJoin, NcclTables,
                         ::testing::ValuesIn(test::distributed_join_cases()), name);

}  // namespace
