#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "ranks/rank_cases.hpp"
#include "thread_ranks.hpp"

namespace {

using namespace hashmill;

class ThreadGroups : public ::testing::TestWithParam<std::tuple<test::RankCase, int>> {};

TEST_P(ThreadGroups, Case) {
  const auto& [program, size] = GetParam();
  test::on_thread_ranks(size, {}, program.run);
}

INSTANTIATE_TEST_SUITE_P(DistributedGroupBy, ThreadGroups,
                         ::testing::Combine(::testing::ValuesIn(test::distributed_group_by_cases()),
                                            ::testing::Values(1, 2, 3, 4)),
                         [](const auto& tested) {
                           return std::string(std::get<0>(tested.param).name) + "_" +
                                  std::to_string(std::get<1>(tested.param));
                         });

}  // namespace
