#include <gtest/gtest.h>

#include <vector>

#include "algorithms/support/inputs.hpp"
#include "communicator_cases.hpp"
#include "ranks/rank_cases.hpp"
#include "thread_ranks.hpp"

// Ranks that count as several nodes, of which the last has fewer: all results are the same.

namespace {

using namespace hashmill;

class FakedNodes : public ::testing::TestWithParam<int> {};

TEST_P(FakedNodes, GiveTheSameResults) {
  test::on_thread_ranks(GetParam(), {.ranks_per_node = 2}, [&](const Communicator& ranks) {
    ASSERT_EQ(ranks.places().num_nodes(), (GetParam() + 1) / 2);
    for (const auto& program : test::communicator_cases) program.run(ranks);
    for (const auto& program : test::shuffle_cases()) program.run(ranks);
    for (const auto& program : test::distributed_hash_graph_cases()) program.run(ranks);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, FakedNodes,
                         ::testing::ValuesIn(test::sampled(std::vector<int>{3, 4, 5})));

/// Ranks of a part stay on the nodes that they are on.
TEST(FakedNodesOfAPart, AreItsOwn) {
  test::on_thread_ranks(5, {.ranks_per_node = 2}, [](const Communicator& ranks) {
    const Communicator part = ranks.split(ranks.rank() % 2, ranks.rank());
    EXPECT_EQ(part.places().num_nodes(), part.size());  // each rank of another node
    EXPECT_EQ(part.places().node(part.rank()), part.rank());
    const Communicator reversed = ranks.split(0, -ranks.rank());
    EXPECT_EQ(reversed.places().num_nodes(), 3);
    EXPECT_EQ(reversed.places().node_size(0), 1);  // rank 4 is alone
  });
}

}  // namespace
