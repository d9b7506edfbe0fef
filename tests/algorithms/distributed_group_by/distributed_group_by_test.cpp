#include "thread_cases.hpp"

namespace {

using namespace hashmill;

class ThreadGroups : public test::ThreadCases {};

TEST_P(ThreadGroups, Case) { run(); }

auto on_ranks(std::span<const test::RankCase> cases) {
  return ::testing::Combine(::testing::ValuesIn(cases), ::testing::Values(1, 2, 3, 4));
}
INSTANTIATE_TEST_SUITE_P(DistributedGroupBy, ThreadGroups,
                         on_ranks(test::distributed_group_by_cases()), test::case_and_ranks);
INSTANTIATE_TEST_SUITE_P(DistributedGroupByOfColumns, ThreadGroups,
                         on_ranks(test::distributed_group_by_column_cases()), test::case_and_ranks);
INSTANTIATE_TEST_SUITE_P(DistributedAggregation, ThreadGroups,
                         on_ranks(test::distributed_aggregation_cases()), test::case_and_ranks);

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
