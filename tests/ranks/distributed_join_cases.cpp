#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/distributed_join.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranks/join_results.hpp"
#include "ranks/rank_cases.hpp"

namespace hashmill::test {
namespace {

// What holds for distributed joins.

/// Options that choose each movement, several rounds, the ways to handle heavy keys, and how
/// columns travel.
struct JoinPath {
  const char* name;
  JoinMovement movement = JoinMovement::repartition;
  std::optional<std::uint64_t> rounds{};
  HeavyKeys heavy_keys = HeavyKeys::automatic;
  Prefilter left_filter = Prefilter::automatic;
  Compression compression = Compression::never;
  ShuffleLevels levels = ShuffleLevels::one;
};
constexpr JoinPath join_paths[] = {
    {.name = "automatic", .movement = JoinMovement::automatic, .levels = ShuffleLevels::automatic},
    {.name = "one_round", .rounds = 1, .levels = ShuffleLevels::inside_then_across},
    {.name = "five_rounds",
     .rounds = 5,
     .compression = Compression::always,
     .levels = ShuffleLevels::across_then_inside},
    {.name = "heavy_keys",
     .rounds = 3,
     .heavy_keys = HeavyKeys::always,
     .levels = ShuffleLevels::across_then_inside},
    {.name = "filter",
     .rounds = 2,
     .heavy_keys = HeavyKeys::never,
     .left_filter = Prefilter::always},
    {.name = "heavy_keys_and_filter",
     .rounds = 1,
     .heavy_keys = HeavyKeys::always,
     .left_filter = Prefilter::always,
     .compression = Compression::always,
     .levels = ShuffleLevels::inside_then_across},
    {.name = "broadcast_right",
     .movement = JoinMovement::broadcast_right,
     .compression = Compression::always,
     .levels = ShuffleLevels::across_then_inside},
    {.name = "broadcast_left", .movement = JoinMovement::broadcast_left},
};
bool suits(const JoinPath& path, const Communicator& ranks) {
  return ranks.size() > 1 || path.rounds <= 1U;  // else nothing travels
}

/// Calls `run(input, kind, options)` for all that suit each other: on two ranks all, else a
/// quarter.
template <class Run>
void for_each_join(const Communicator& ranks, const Run& run) {
  const bool runs_all = ranks.size() == 2 && !sampling();
  unsigned variant = 0;
  for (const JoinInput& input : join_inputs) {
    for (const JoinKind kind : all_kinds) {
      for (const JoinPath& path : join_paths) {
        if (!suits(path, ranks) || (!runs_all && ++variant % 4 != 0)) continue;
        SCOPED_TRACE(std::string(input.name) + " " + path.name + " kind " +
                     std::to_string(static_cast<int>(kind)));
        DistributedJoinOptions options;
        options.movement = path.movement;
        options.rounds = path.rounds;
        options.heavy_keys = path.heavy_keys;
        options.left_filter = path.left_filter;
        options.compression = path.compression;
        options.levels = path.levels;
        run(input, kind, options);
      }
    }
  }
}

/// Keys that are numbers, and the numbers of the rows.
void joins_numbers(const Communicator& ranks) {
  Workspace<Memory> workspace;
  const auto text = [](std::uint64_t key) { return JoinKey(std::to_string(key)); };
  for_each_join(ranks, [&](const JoinInput& input, JoinKind kind, const auto& options) {
    const auto left = to_device(keys_of(input.left, ranks.rank(), ranks.size()));
    const auto right = to_device(keys_of(input.right, ranks.rank(), ranks.size()));
    const auto joined = distributed_join(
        rank_exec(), ranks, kind, join_side<0>(left, GlobalRows(ranks.rank(), left.extent(0))),
        join_side<0>(right, GlobalRows(ranks.rank(), right.extent(0))), options, workspace);
    const auto left_keys = host_column(joined.template left_column<0>());
    const auto right_keys = host_column(joined.template right_column<0>());
    for (std::uint64_t i = 0; i < joined.size(); ++i) {
      if (left_keys[i] && right_keys[i]) {
        ASSERT_EQ(left_keys[i], right_keys[i]);
      }
    }
    expect_join(ranks,
                rows_of(host_column(joined.template left_column<1>()),
                        host_column(joined.template right_column<1>())),
                kind, input, text, every_pair);
  });
}

/// So many rows that devices cut what a rank receives in a round, and join cut by cut.
void joins_many_rows(const Communicator& ranks) {
  if (ranks.size() > 2) return;  // the cuts of more ranks are the same
  constexpr auto many = [](int, int) { return std::uint64_t{1} << 16; };
  constexpr JoinInput input{
      "many",
      {"", many, [](std::uint64_t i) { return murmur3_fmix64(i) % 100'000; }},
      {"", many, [](std::uint64_t i) { return murmur3_fmix64(i + 7) % 100'000; }}};
  Workspace<Memory> workspace;
  const auto text = [](std::uint64_t key) { return JoinKey(std::to_string(key)); };
  const auto left = to_device(keys_of(input.left, ranks.rank(), ranks.size()));
  const auto right = to_device(keys_of(input.right, ranks.rank(), ranks.size()));
  DistributedJoinOptions options;
  options.movement = JoinMovement::repartition;
  for (const JoinKind kind : {JoinKind::inner, JoinKind::left, JoinKind::full}) {
    for (const std::uint64_t rounds : {1, 3}) {
      options.rounds = rounds;
      const auto joined = distributed_join(
          rank_exec(), ranks, kind, join_side<0>(left, GlobalRows(ranks.rank(), left.extent(0))),
          join_side<0>(right, GlobalRows(ranks.rank(), right.extent(0))), options, workspace);
      expect_join(ranks,
                  rows_of(host_column(joined.template left_column<1>()),
                          host_column(joined.template right_column<1>())),
                  kind, input, text, every_pair);
    }
  }
}

void joins_columns(const Communicator& ranks) {
  Workspace<Memory> workspace;
  for_each_join(ranks, [&](const JoinInput& input, JoinKind kind, DistributedJoinOptions options) {
    options.nulls_equal = kind == JoinKind::full || kind == JoinKind::inner;
    const auto text = [&](std::uint64_t key) { return text_key(key, options.nulls_equal); };
    const TextKeys left(keys_of(input.left, ranks.rank(), ranks.size()));
    const TextKeys right(keys_of(input.right, ranks.rank(), ranks.size()));
    const DeviceValues<std::int32_t> left_numbers(left.numbers);
    std::vector<std::optional<std::int64_t>> wide(right.numbers.begin(), right.numbers.end());
    const DeviceValues<std::int64_t> right_numbers(wide);  // of another width than the left ones
    const DeviceStrings left_words(left.words), right_words(right.words);
    const auto joined = distributed_join(
        rank_exec(), ranks, kind,
        join_side<0, 1>(left_numbers.column(), left_words.column(),
                        GlobalRows(ranks.rank(), left.words.size())),
        join_side<2, 0>(right_words.column(), GlobalRows(ranks.rank(), right.words.size()),
                        right_numbers.column()),
        options, workspace);
    const auto rows = rows_of(host_column(joined.template left_column<2>()),
                              host_column(joined.template right_column<1>()));
    const auto left_texts = host_strings(joined.template left_column<1>());
    const auto right_texts = host_strings(joined.template right_column<0>());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].left == no_partner) {
        ASSERT_FALSE(left_texts[i]);
      } else if (rows[i].right == no_partner) {
        ASSERT_FALSE(right_texts[i]);
      } else {
        ASSERT_EQ(left_texts[i], right_texts[i]);
      }
    }
    expect_join(ranks, rows, kind, input, text, every_pair);
  });
}

void joins_with_a_condition(const Communicator& ranks) {
  Workspace<Memory> workspace;
  const auto text = [](std::uint64_t key) { return JoinKey(std::to_string(key)); };
  const auto is_even = [](GlobalRow left, GlobalRow right) {
    return left % 2 == 0 || right % 2 == 0;
  };
  for_each_join(ranks, [&](const JoinInput& input, JoinKind kind, const auto& options) {
    const auto left = to_device(keys_of(input.left, ranks.rank(), ranks.size()));
    const auto right = to_device(keys_of(input.right, ranks.rank(), ranks.size()));
    JoinedRows mine;
    distributed_join_in_chunks(
        rank_exec(), ranks, kind, join_side<0>(left, GlobalRows(ranks.rank(), left.extent(0))),
        join_side<0>(right, GlobalRows(ranks.rank(), right.extent(0))), options, workspace,
        [&](const auto& joined) {
          const auto rows = rows_of(host_column(joined.template left_column<1>()),
                                    host_column(joined.template right_column<1>()));
          mine.insert(mine.end(), rows.begin(), rows.end());
        },
        OneIsEvenOf{});
    expect_join(ranks, mine, kind, input, text, is_even);
  });
}

/// An ordered join gives the same rows in the same order each time.
void joins_in_order(const Communicator& ranks) {
  Workspace<Memory> workspace;
  const auto side = [&](const auto& keys) {
    return join_side<0>(keys, GlobalRows(ranks.rank(), keys.extent(0)));
  };
  DistributedJoinOptions options;
  options.ordered = true;
  options.movement = JoinMovement::repartition;
  options.heavy_keys = HeavyKeys::always;
  options.rounds = 3;
  for (const JoinInput& input : join_inputs) {
    const auto left = to_device(keys_of(input.left, ranks.rank(), ranks.size()));
    const auto right = to_device(keys_of(input.right, ranks.rank(), ranks.size()));
    const auto rows = [&] {
      const auto joined = distributed_join(rank_exec(), ranks, JoinKind::full, side(left),
                                           side(right), options, workspace);
      return rows_of(host_column(joined.template left_column<1>()),
                     host_column(joined.template right_column<1>()));
    };
    const JoinedRows first = rows();
    EXPECT_EQ(rows(), first) << input.name;
  }
}

/// Filters, broadcasts and heavy keys save bytes where they should, and plans tell of them.
void sends_few_bytes(const Communicator& ranks) {
  if (ranks.size() == 1) return;
  Workspace<Memory> workspace;
  // Of 100000 left rows on each rank half have key 7, and nearly all others no partner.
  std::vector<std::uint64_t> left_keys(100'000), right_keys(200);
  const auto rank = std::uint64_t(ranks.rank());
  for (std::uint64_t i = 0; i < left_keys.size(); ++i) {
    left_keys[i] = i % 2 == 0 ? 7 : murmur3_fmix64((rank << 32) + i);
  }
  for (std::uint64_t i = 0; i < right_keys.size(); ++i) right_keys[i] = i * 3 + rank;
  const auto left = to_device(left_keys), right = to_device(right_keys);
  const auto bytes_of = [&](JoinMovement movement, HeavyKeys heavy, Prefilter filter) {
    DistributedJoinOptions options;
    options.movement = movement;
    options.heavy_keys = heavy;
    options.left_filter = filter;
    const std::uint64_t before = ranks.statistics().bytes_sent;
    const auto joined = distributed_join(rank_exec(), ranks, JoinKind::inner, join_side<0>(left),
                                         join_side<0>(right), options, workspace);
    std::uint64_t counts[] = {ranks.statistics().bytes_sent - before, joined.size()};
    ranks.all_reduce(counts, Reduction::sum);
    EXPECT_GE(counts[1], 50'000 * std::uint64_t(ranks.size()));  // rank 1 has key 7
    return counts[0];
  };
  const auto plan_of = [&](const DistributedJoinOptions& options) {
    return plan_distributed_join(rank_exec(), ranks, JoinKind::inner, join_side<0>(left),
                                 join_side<0>(right), options, workspace);
  };
  EXPECT_EQ(plan_of({}).movement, JoinMovement::broadcast_right);
  DistributedJoinOptions asked;
  asked.movement = JoinMovement::repartition;
  asked.rounds = 3;
  asked.heavy_keys = HeavyKeys::always;
  const DistributedJoinPlan plan = plan_of(asked);
  EXPECT_EQ(plan.movement, JoinMovement::repartition);
  EXPECT_EQ(plan.rounds, 3U);
  EXPECT_EQ(plan.heavy_left, 1U);
  EXPECT_EQ(plan.heavy_right, 0U);
  EXPECT_FALSE(plan.filters_left);
  constexpr auto moves = JoinMovement::repartition;
  const std::uint64_t all = bytes_of(moves, HeavyKeys::never, Prefilter::never);
  const std::uint64_t no_strangers = bytes_of(moves, HeavyKeys::never, Prefilter::always);
  const std::uint64_t no_heavy = bytes_of(moves, HeavyKeys::always, Prefilter::never);
  const std::uint64_t neither = bytes_of(moves, HeavyKeys::always, Prefilter::always);
  const std::uint64_t broadcast =
      bytes_of(JoinMovement::automatic, HeavyKeys::automatic, Prefilter::automatic);
  EXPECT_LT(no_strangers, all * 3 / 4);
  EXPECT_LT(no_heavy, all * 3 / 4);
  EXPECT_LT(neither, no_heavy / 2);
  EXPECT_LT(broadcast, all / 4);
}

/// Wrong options, columns and lengths, and what a caller throws.
void refuses_joins(const Communicator& ranks) {
  Workspace<Memory> workspace;
  const auto keys = to_device(std::vector<std::uint64_t>(50, 3));
  const auto fewer = to_device(std::vector<std::uint64_t>(49, 3));
  const auto join = [&](JoinKind kind, const auto& left, const DistributedJoinOptions& options) {
    static_cast<void>(
        distributed_join(rank_exec(), ranks, kind, left, join_side<0>(keys), options, workspace));
  };
  DistributedJoinOptions options;
  options.rounds = 0;
  EXPECT_THROW(join(JoinKind::inner, join_side<0>(keys), options), InvalidArgument);
  EXPECT_THROW(join(JoinKind::inner, join_side<0>(keys, fewer), {}), InvalidArgument);
  if (ranks.size() == 1) return;
  options = {};
  options.nulls_equal = ranks.rank() == 1;
  EXPECT_THROW(join(JoinKind::inner, join_side<0>(keys), options), InvalidArgument);
  const bool differs = ranks.rank() == 1;
  EXPECT_THROW(differs ? join(JoinKind::inner, join_side<0>(keys), {})
                       : join(JoinKind::inner, join_side<0>(keys, keys), {}),
               InvalidArgument);
  expect_failure(ranks, 1, "join", [&] {
    DistributedJoinOptions rounds;
    rounds.movement = JoinMovement::repartition;
    rounds.rounds = 4;
    distributed_join_in_chunks(rank_exec(), ranks, JoinKind::inner, join_side<0>(keys),
                               join_side<0>(keys), rounds, workspace, [&](const auto&) {
                                 if (ranks.rank() == 1) throw InvalidArgument("no more");
                               });
  });
  expect_failure(ranks, 0, "join", [&] {
    DistributedJoinOptions budget;
    budget.memory_budget = 0;
    budget.movement = JoinMovement::broadcast_right;
    const auto here = ranks.rank() == 0 ? keys : to_device(std::vector<std::uint64_t>());
    try {
      join(JoinKind::inner, join_side<0>(here), budget);
    } catch (const CapacityError& error) {
      throw InvalidArgument(error.what());
    }
  });
}

}  // namespace

std::uint64_t join_at_once(const Communicator& ranks, std::uint64_t rows) {
  Workspace<Memory> workspace;
  const auto keys = to_device(scattered_keys(ranks.rank(), rows));
  const auto side = join_side<0>(keys, GlobalRows(ranks.rank(), rows));
  DistributedJoinOptions options;
  options.rounds = 4;
  options.movement = JoinMovement::repartition;
  JoinedRows mine;
  distributed_join_in_chunks(
      rank_exec(), ranks, JoinKind::inner, side, side, options, workspace, [&](const auto& joined) {
        const auto found = rows_of(host_column(joined.template left_column<1>()),
                                   host_column(joined.template right_column<1>()));
        mine.insert(mine.end(), found.begin(), found.end());
      });
  return digest_of(ranks, mine);
}

std::span<const RankCase> distributed_join_cases() {
  static constexpr RankCase all[] = {
      {"joins_numbers", joins_numbers},   {"joins_many_rows", joins_many_rows},
      {"joins_columns", joins_columns},   {"joins_with_a_condition", joins_with_a_condition},
      {"joins_in_order", joins_in_order}, {"sends_few_bytes", sends_few_bytes},
      {"refuses_joins", refuses_joins},
  };
  return all;
}

}  // namespace hashmill::test
