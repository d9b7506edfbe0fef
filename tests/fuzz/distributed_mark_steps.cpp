#include "drawn_join.hpp"
#include "fuzz_step.hpp"
#include "ranks/join_marks.hpp"

namespace hashmill::test {
namespace {

/// Mark, semi and anti joins.
template <class Rows>
void run_marks(RandomSource& random) {
  const DrawnJoin<Rows> drawn(random);
  drawn.ranks.run([&](const Communicator& ranks) {
    const Rows left(drawn.left, rows_of_rank(drawn.left, ranks.rank()));
    const Rows right(drawn.right, rows_of_rank(drawn.right, ranks.rank()));
    expect_marks(ranks, left.side(), right.side(), drawn.options,
                 expected_marks(drawn, ranks, drawn.key_of(), drawn.matches()), drawn.condition);
  });
}

}  // namespace

std::vector<FuzzStep> distributed_mark_steps() {
  return {{"distributed semi join, numbers", run_marks<NumberRows>},
          {"distributed semi join, texts", run_marks<TextRows>}};
}

}  // namespace hashmill::test
