#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ranks/join_marks.hpp"
#include "ranks/rank_cases.hpp"

namespace hashmill::test {
namespace {

// What holds for mark, semi and anti joins of several ranks.

/// Calls `run(input, options)` for all inputs and movements.
template <class Run>
void for_each_input(const Run& run) {
  for (const JoinInput& input : join_inputs) {
    for (const JoinMovement movement :
         {JoinMovement::automatic, JoinMovement::repartition, JoinMovement::broadcast_right,
          JoinMovement::broadcast_left}) {
      SCOPED_TRACE(std::string(input.name) + " movement " +
                   std::to_string(static_cast<int>(movement)));
      DistributedJoinOptions options;
      options.movement = movement;
      run(input, options);
      if (movement != JoinMovement::repartition) continue;
      options.heavy_keys = HeavyKeys::always;
      run(input, options);
      options.left_filter = Prefilter::always;
      run(input, options);
    }
  }
}

JoinKey number_text(std::uint64_t key) { return std::to_string(key); }

void marks_numbers(const Communicator& ranks) {
  for_each_input([&](const JoinInput& input, const DistributedJoinOptions& options) {
    const auto left = to_device(keys_of(input.left, ranks.rank(), ranks.size()));
    const auto right = to_device(keys_of(input.right, ranks.rank(), ranks.size()));
    const auto every_pair = [](GlobalRow, GlobalRow) { return true; };
    expect_marks(ranks, join_side<0>(left), join_side<0>(right), options,
                 expected_marks(input, ranks, number_text, every_pair));
    expect_marks(ranks, join_side<0>(left, GlobalRows(ranks.rank(), left.extent(0))),
                 join_side<0>(right, GlobalRows(ranks.rank(), right.extent(0))), options,
                 expected_marks(input, ranks, number_text,
                                [](GlobalRow a, GlobalRow b) { return a % 2 == 0 || b % 2 == 0; }),
                 OneIsEvenOf{});
  });
}

void marks_columns(const Communicator& ranks) {
  for_each_input([&](const JoinInput& input, DistributedJoinOptions options) {
    for (const bool nulls_equal : {false, true}) {
      options.nulls_equal = nulls_equal;
      const TextKeys left(keys_of(input.left, ranks.rank(), ranks.size()));
      const TextKeys right(keys_of(input.right, ranks.rank(), ranks.size()));
      const DeviceValues<std::int32_t> left_numbers(left.numbers), right_numbers(right.numbers);
      const DeviceStrings left_words(left.words), right_words(right.words);
      const auto text = [&](std::uint64_t key) { return text_key(key, nulls_equal); };
      const auto every_pair = [](GlobalRow, GlobalRow) { return true; };
      expect_marks(ranks, join_side<0, 1>(left_numbers.column(), left_words.column()),
                   join_side<1, 0>(right_words.column(), right_numbers.column()), options,
                   expected_marks(input, ranks, text, every_pair));
    }
  });
}

void refuses_marks(const Communicator& ranks) {
  Workspace<Memory> workspace;
  const auto keys = to_device(std::vector<std::uint64_t>(50, 3));
  const auto side = join_side<0>(keys);
  if (ranks.size() == 1) return;
  const Kokkos::View<bool*, Memory> out("out", ranks.rank() == 1 ? 49 : 50);
  expect_failure(ranks, 1, "allocate", [&] {
    distributed_mark_join(rank_exec(), ranks, side, side, out, {}, workspace);
  });
}

}  // namespace

std::span<const RankCase> distributed_semi_join_cases() {
  static constexpr RankCase all[] = {
      {"marks_numbers", marks_numbers},
      {"marks_columns", marks_columns},
      {"refuses_marks", refuses_marks},
  };
  return all;
}

}  // namespace hashmill::test
