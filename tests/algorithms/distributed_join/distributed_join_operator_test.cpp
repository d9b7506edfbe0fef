#include <algorithm>
#include <utility>

#include "algorithms/support/kokkos_recorder.hpp"
#include "thread_cases.hpp"

namespace {

using namespace hashmill;

class ThreadBatches : public test::ThreadCases {};

TEST_P(ThreadBatches, Case) { run(); }

INSTANTIATE_TEST_SUITE_P(DistributedJoinOperator, ThreadBatches,
                         test::on_few_ranks(test::distributed_join_operator_cases()),
                         test::case_and_ranks);
INSTANTIATE_TEST_SUITE_P(DistributedSemiJoin, ThreadBatches,
                         test::on_few_ranks(test::distributed_semi_join_cases()),
                         test::case_and_ranks);

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
