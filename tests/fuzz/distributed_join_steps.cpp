#include <hashmill/distributed_join.hpp>

#include "drawn_join.hpp"
#include "fuzz_step.hpp"

namespace hashmill::test {
namespace {

/// One rank's part of a join.
template <class Rows>
class RankJoin {
 public:
  RankJoin(const Communicator& ranks, const DrawnJoin<Rows>& drawn)
      : ranks_(ranks),
        drawn_(drawn),
        left_(drawn.left, rows_of_rank(drawn.left, ranks.rank())),
        right_(drawn.right, rows_of_rank(drawn.right, ranks.rank())) {}

  /// The joined rows, by numbers at once, by texts and with a condition in chunks.
  [[nodiscard]] JoinedRows join(const DistributedJoinOptions& options) {
    JoinedRows rows;
    const auto take = [&](const auto& joined) {
      take_joined<Rows>(joined, drawn_.left, drawn_.right, rows);
    };
    if constexpr (std::is_same_v<Rows, NumberRows>) {
      take(distributed_join(rank_exec(), ranks_, drawn_.kind, left_.side(), right_.side(), options,
                            workspace_));
    } else {
      distributed_join_in_chunks(rank_exec(), ranks_, drawn_.kind, left_.side(), right_.side(),
                                 options, workspace_, take, drawn_.condition);
    }
    return rows;
  }

 private:
  const Communicator& ranks_;
  const DrawnJoin<Rows>& drawn_;
  Rows left_, right_;
  Workspace<Memory> workspace_;
};

/// Joins with room for some of the rows: all ranks fail, or none.
template <class Rows>
void join_in_little_memory(const Communicator& ranks, RankJoin<Rows>& join,
                           DistributedJoinOptions options, const JoinedRows& expected,
                           std::uint64_t budget) {
  options.memory_budget = budget;
  std::uint64_t failed[] = {0};
  JoinedRows rows;
  try {
    rows = join.join(options);
  } catch (const Error&) {
    failed[0] = 1;
  }
  ranks.all_reduce(failed, Reduction::sum);
  if (failed[0] == 0) return expect_rows(ranks, rows, [&] { return expected; });
  EXPECT_EQ(failed[0], std::uint64_t(ranks.size()));
  EXPECT_LT(budget, 8 * expected.size());
}

template <class Rows>
void run_distributed_join(RandomSource& random) {
  DrawnJoin<Rows> drawn(random);
  if (std::is_same_v<Rows, NumberRows>) drawn.condition.takes_all = true;
  const JoinedRows expected = drawn.expected();
  const bool has_budget = random.chance(6);
  const std::uint64_t budget = random.below(10 * expected.size() + 1);
  drawn.ranks.run([&](const Communicator& ranks) {
    RankJoin<Rows> join(ranks, drawn);
    if (has_budget) join_in_little_memory(ranks, join, drawn.options, expected, budget);
    const JoinedRows rows = join.join(drawn.options);
    expect_rows(ranks, rows, [&] { return expected; });
    if (!drawn.options.ordered) return;
    EXPECT_TRUE(join.join(drawn.options) == rows) << "another order";
  });
}

}  // namespace

std::vector<FuzzStep> distributed_join_steps() {
  return {{"distributed join, numbers", run_distributed_join<NumberRows>},
          {"distributed join, texts, condition", run_distributed_join<TextRows>}};
}

}  // namespace hashmill::test
