#include <gtest/gtest.h>
#include <mpi.h>

#include <hashmill/mpi_communicator.hpp>
#include <string>

#include "ranks/rank_cases.hpp"

namespace {

using namespace hashmill;

class MpiTables : public ::testing::TestWithParam<test::RankCase> {};

TEST_P(MpiTables, Case) { GetParam().run(mpi_communicator(MPI_COMM_WORLD)); }

INSTANTIATE_TEST_SUITE_P(DistributedHashGraph, MpiTables,
                         ::testing::ValuesIn(test::distributed_hash_graph_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
