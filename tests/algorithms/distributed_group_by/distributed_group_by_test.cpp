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

constexpr auto name = [](const auto& tested) {
  return std::string(std::get<0>(tested.param).name) + "_" +
         std::to_string(std::get<1>(tested.param));
};
auto on_ranks(std::span<const test::RankCase> cases) {
  return ::testing::Combine(::testing::ValuesIn(cases), ::testing::Values(1, 2, 3, 4));
}
INSTANTIATE_TEST_SUITE_P(DistributedGroupBy, ThreadGroups,
                         on_ranks(test::distributed_group_by_cases()), name);
INSTANTIATE_TEST_SUITE_P(DistributedGroupByOfColumns, ThreadGroups,
                         on_ranks(test::distributed_group_by_column_cases()), name);
INSTANTIATE_TEST_SUITE_P(DistributedAggregation, ThreadGroups,
                         on_ranks(test::distributed_aggregation_cases()), name);

/// Ranks that count as several nodes, of which the last has fewer.
TEST(DistributedGroupBy, OverSeveralNodes) {
  test::on_thread_ranks(3, {.ranks_per_node = 2}, [](const Communicator& ranks) {
    for (const auto& cases :
         {test::distributed_group_by_cases(), test::distributed_group_by_column_cases(),
          test::distributed_aggregation_cases()}) {
      for (const auto& program : cases) program.run(ranks);
    }
  });
}

}  // namespace
