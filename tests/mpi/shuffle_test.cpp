#include <gtest/gtest.h>
#include <mpi.h>

#include <hashmill/mpi_communicator.hpp>
#include <string>

#include "shuffle_cases.hpp"

namespace {

using namespace hashmill;

class MpiShuffle : public ::testing::TestWithParam<test::ShuffleCase> {};

TEST_P(MpiShuffle, Case) { GetParam().run(mpi_communicator(MPI_COMM_WORLD)); }

INSTANTIATE_TEST_SUITE_P(Shuffle, MpiShuffle, ::testing::ValuesIn(test::shuffle_cases),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
