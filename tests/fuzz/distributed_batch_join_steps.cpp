#include <hashmill/distributed_join_operator.hpp>
#include <utility>

#include "drawn_join.hpp"
#include "fuzz_step.hpp"

namespace hashmill::test {
namespace {

/// Rows of a rank that are added together, and whether they are joined at once where that can be.
struct RowRange {
  std::uint64_t begin, end;
  bool at_once;
};
/// The batches of each rank, at most eight; some are empty.
using Batches = std::vector<std::vector<RowRange>>;
Batches cut(RandomSource& random, const DrawnShares& shares) {
  Batches batches;
  for (const Numbers& numbers : shares.of_rank) {
    auto& of_rank = batches.emplace_back();
    const std::uint64_t longest = 1 + random.below(numbers.size() + 1);
    std::uint64_t begin = 0;
    while (begin < numbers.size()) {
      const std::uint64_t rows =
          of_rank.size() < 7 ? random.below(longest + 1) : numbers.size() - begin;
      const std::uint64_t end = std::min<std::uint64_t>(begin + rows, numbers.size());
      of_rank.push_back({std::exchange(begin, end), end, random.chance(2)});
    }
  }
  return batches;
}

/// Joins sides that each rank adds in batches of its own.
template <class Rows>
void run_batch_join(RandomSource& random) {
  const DrawnJoin<Rows> drawn(random);
  const Batches lefts = cut(random, drawn.left), rights = cut(random, drawn.right);
  const JoinedRows expected = drawn.expected();
  drawn.ranks.run([&](const Communicator& ranks) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    JoinedRows rows;
    const auto take = [&](const auto& joined) {
      take_joined<Rows>(joined, drawn.left, drawn.right, rows);
    };
    const Rows none(drawn.left, {});
    auto join = distributed_join_operator(rank_exec(), ranks, drawn.kind, none.side(), none.side(),
                                          drawn.options, drawn.condition);
    for (const RowRange& range : rights[rank]) {
      const Rows batch(drawn.right, rows_of_rank(ranks.rank(), range.begin, range.end));
      join.add_right(rank_exec(), batch.side());
    }
    join.finish_right(rank_exec());
    for (const RowRange& range : lefts[rank]) {
      const Rows batch(drawn.left, rows_of_rank(ranks.rank(), range.begin, range.end));
      range.at_once ? join.add_left(rank_exec(), batch.side(), take)
                    : join.add_left(rank_exec(), batch.side());
    }
    join.finish_left(rank_exec(), take);
    expect_rows(ranks, rows, [&] { return expected; });
  });
}

}  // namespace

std::vector<FuzzStep> distributed_batch_join_steps() {
  return {{"distributed join in batches, numbers", run_batch_join<NumberRows>},
          {"distributed join in batches, texts", run_batch_join<TextRows>}};
}

}  // namespace hashmill::test
