#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "ranks/rank_cases.hpp"
#include "thread_ranks.hpp"

namespace {

using namespace hashmill;

class ThreadJoin : public ::testing::TestWithParam<std::tuple<test::RankCase, int>> {};

TEST_P(ThreadJoin, Case) {
  const auto& [program, size] = GetParam();
  test::on_thread_ranks(size, {}, program.run);
}

const auto name_of = [](const auto& tested) {
  return std::string(std::get<0>(tested.param).name) + "_" +
         std::to_string(std::get<1>(tested.param));
};
INSTANTIATE_TEST_SUITE_P(DistributedJoin, ThreadJoin,
                         ::testing::Combine(::testing::ValuesIn(test::distributed_join_cases()),
                                            ::testing::Values(1, 2, 3)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(
    DistributedJoinOperator, ThreadJoin,
    ::testing::Combine(::testing::ValuesIn(test::distributed_join_operator_cases()),
                       ::testing::Values(1, 2, 3)),
    name_of);
INSTANTIATE_TEST_SUITE_P(
    DistributedSemiJoin, ThreadJoin,
    ::testing::Combine(::testing::ValuesIn(test::distributed_semi_join_cases()),
                       ::testing::Values(1, 2, 3)),
    name_of);

}  // namespace
