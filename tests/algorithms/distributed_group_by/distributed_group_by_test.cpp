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

/// Ranks that count as several nodes, of which the last has fewer.
TEST(DistributedGroupBy, OverSeveralNodes) {
  test::on_thread_ranks(3, {.ranks_per_node = 2}, [](const Communicator& ranks) {
    for (const auto& program : test::distributed_group_by_cases()) program.run(ranks);
  });
}

}  // namespace
