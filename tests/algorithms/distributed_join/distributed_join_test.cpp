#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "algorithms/support/kokkos_recorder.hpp"
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
class NodeJoin : public ::testing::TestWithParam<test::RankCase> {};

TEST_P(NodeJoin, Case) { test::on_thread_ranks(4, {.ranks_per_node = 2}, GetParam().run); }
INSTANTIATE_TEST_SUITE_P(DistributedJoin, NodeJoin,
                         ::testing::ValuesIn(test::distributed_join_cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

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

/// The most bytes that ranks hold at once, and what they join.
template <class Join>
std::pair<std::uint64_t, std::uint64_t> peak_and_result(int ranks, const Join& join) {
  std::uint64_t digest = 0;
  const test::KokkosRecorder recorder;
  test::on_thread_ranks(ranks, {}, [&](const Communicator& comm) {
    const std::uint64_t mine = join(comm);
    if (comm.rank() == 0) digest = mine;
  });
  return {recorder.peak_bytes(), digest};
}

/// Batches are copied, but freed as they are sent, and only one round becomes one piece at a time.
TEST(DistributedJoinMemory, OfBatchesIsAboutThatOfWholeSides) {
  constexpr std::uint64_t rows = 1 << 16;
  const auto in_batches = [](std::uint64_t batches) {
    return [=](const Communicator& comm) { return test::join_in_batches(comm, rows, batches); };
  };
  const auto at_once = [](const Communicator& comm) { return test::join_at_once(comm, rows); };
  for (const int ranks : {1, 2}) {
    const auto [whole, expected] = peak_and_result(ranks, at_once);
    const auto [one, same] = peak_and_result(ranks, in_batches(1));
    const auto [many, also] = peak_and_result(ranks, in_batches(16));
    EXPECT_EQ(same, expected);
    EXPECT_EQ(also, expected);
    EXPECT_LE(10 * many, 13 * std::min(whole, one)) << ranks << " ranks";
  }
}

}  // namespace
