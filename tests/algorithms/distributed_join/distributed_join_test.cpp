#include <gtest/gtest.h>

#include <string>

#include "thread_cases.hpp"

namespace {

using namespace hashmill;

class ThreadJoin : public test::ThreadCases {};

TEST_P(ThreadJoin, Case) { run(); }

INSTANTIATE_TEST_SUITE_P(DistributedJoin, ThreadJoin,
                         test::on_few_ranks(test::distributed_join_cases()), test::case_and_ranks);
class NodeJoin : public ::testing::TestWithParam<test::RankCase> {};

TEST_P(NodeJoin, Case) { test::on_thread_ranks(4, {.ranks_per_node = 2}, GetParam().run); }
INSTANTIATE_TEST_SUITE_P(DistributedJoin, NodeJoin,
                         ::testing::ValuesIn(test::distributed_join_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
