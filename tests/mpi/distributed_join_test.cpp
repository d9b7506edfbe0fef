#include <gtest/gtest.h>
#include <mpi.h>

#include <hashmill/mpi_communicator.hpp>
#include <string>

#include "ranks/rank_cases.hpp"

namespace {

using namespace hashmill;

class MpiJoin : public ::testing::TestWithParam<test::RankCase> {};

TEST_P(MpiJoin, Case) { GetParam().run(mpi_communicator(MPI_COMM_WORLD)); }

INSTANTIATE_TEST_SUITE_P(DistributedJoin, MpiJoin,
                         ::testing::ValuesIn(test::distributed_join_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });
INSTANTIATE_TEST_SUITE_P(DistributedJoinOperator, MpiJoin,
                         ::testing::ValuesIn(test::distributed_join_operator_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });
INSTANTIATE_TEST_SUITE_P(DistributedSemiJoin, MpiJoin,
                         ::testing::ValuesIn(test::distributed_semi_join_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
