#include <gtest/gtest.h>
#include <mpi.h>

#include <hashmill/mpi_communicator.hpp>
#include <string>

#include "ranks/rank_cases.hpp"

namespace {

using namespace hashmill;

class MpiShuffle : public ::testing::TestWithParam<test::RankCase> {};

TEST_P(MpiShuffle, Case) { GetParam().run(mpi_communicator(MPI_COMM_WORLD)); }

const auto name_of = [](const auto& tested) { return std::string(tested.param.name); };
INSTANTIATE_TEST_SUITE_P(Shuffle, MpiShuffle, ::testing::ValuesIn(test::shuffle_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(ShuffleColumns, MpiShuffle,
                         ::testing::ValuesIn(test::shuffle_column_cases()), name_of);
INSTANTIATE_TEST_SUITE_P(ShuffleKeys, MpiShuffle, ::testing::ValuesIn(test::shuffle_key_cases()),
                         name_of);

}  // namespace
