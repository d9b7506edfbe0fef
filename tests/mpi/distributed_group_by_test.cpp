#include <gtest/gtest.h>
#include <mpi.h>

#include <hashmill/mpi_communicator.hpp>
#include <string>

#include "ranks/rank_cases.hpp"

namespace {

using namespace hashmill;

class MpiGroups : public ::testing::TestWithParam<test::RankCase> {};

TEST_P(MpiGroups, Case) { GetParam().run(mpi_communicator(MPI_COMM_WORLD)); }

constexpr auto name = [](const auto& tested) { return std::string(tested.param.name); };
INSTANTIATE_TEST_SUITE_P(DistributedGroupBy, MpiGroups,
                         ::testing::ValuesIn(test::distributed_group_by_cases()), name);
INSTANTIATE_TEST_SUITE_P(DistributedGroupByOfColumns, MpiGroups,
                         ::testing::ValuesIn(test::distributed_group_by_column_cases()), name);
INSTANTIATE_TEST_SUITE_P(DistributedAggregation, MpiGroups,
                         ::testing::ValuesIn(test::distributed_aggregation_cases()), name);

}  // namespace
