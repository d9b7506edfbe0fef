#include <gtest/gtest.h>

#include <hashmill/distributed_join_operator.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ranks/join_results.hpp"
#include "ranks/rank_cases.hpp"

namespace hashmill::test {
namespace {

// What holds for joins whose sides come in batches.

/// Calls `use(begin, end)` for batches of `rows` rows, and for some without any.
template <class Use>
void for_each_batch(std::uint64_t batches, std::uint64_t rows, const Use& use) {
  for (std::uint64_t b = 0; b < batches; ++b) {
    use(backends::slice_begin(b, batches, rows), backends::slice_begin(b + 1, batches, rows));
    if (b % 4 == 1) use(0, 0);
  }
}
/// How many batches a rank has: not all have as many.
std::uint64_t batches_of(const Communicator& ranks) { return 1 + 2 * std::uint64_t(ranks.rank()); }
template <class T>
std::vector<T> slice(const std::vector<T>& values, std::uint64_t begin, std::uint64_t end) {
  return {values.begin() + std::ptrdiff_t(begin), values.begin() + std::ptrdiff_t(end)};
}
std::vector<GlobalRow> rows_of_rank(int rank, std::uint64_t begin, std::uint64_t end) {
  std::vector<GlobalRow> rows;
  for (std::uint64_t i = begin; i < end; ++i) {
    rows.push_back(global_row(static_cast<std::uint32_t>(rank), i));
  }
  return rows;
}

/// Calls `run(input, kind, options)` for all inputs, kinds, some rounds, and with a filter or not,
/// with heavy keys or not, and where left rows stay.
template <class Run>
void for_each_operator(const Communicator& ranks, const Run& run) {
  unsigned variant = 0;
  const bool runs_all = ranks.size() == 2 && !sampling();
  for (const JoinInput& input : join_inputs) {
    for (const JoinKind kind : all_kinds) {
      for (unsigned way = 0; way < 5; ++way) {
        const bool filters = way % 2 == 1, has_heavy = way / 2 == 1, stays = way == 4;
        if (!runs_all && ++variant % 4 != 0) continue;
        SCOPED_TRACE(std::string(input.name) + " kind " + std::to_string(static_cast<int>(kind)) +
                     (filters ? " with a filter" : "") + (has_heavy ? " with heavy keys" : "") +
                     (stays ? " where left rows stay" : ""));
        DistributedJoinOptions options;
        options.heavy_keys = has_heavy ? HeavyKeys::always : HeavyKeys::never;
        if (stays) options.movement = JoinMovement::broadcast_right;
        if (filters) {
          options.left_filter = Prefilter::always;
          options.rounds = 1;
        }
        run(input, kind, options);
      }
    }
  }
}

/// Joins sides batch by batch: `with_batch(keys, begin, end, use)` calls `use` with the side that
/// has some of the keys. Calls `use(joined)` for each round, or each batch of left rows that stay.
template <class Keys, class WithBatch, class Use>
void join_batches(const Communicator& ranks, JoinKind kind, const DistributedJoinOptions& options,
                  std::uint64_t batches, const Keys& left, const Keys& right,
                  const WithBatch& with_batch, const Use& use) {
  with_batch(left, 0, 0, [&](const auto& types) {
    auto join = distributed_join_operator(rank_exec(), ranks, kind, types, types, options);
    for_each_batch(batches, right.size(), [&](std::uint64_t begin, std::uint64_t end) {
      with_batch(right, begin, end, [&](const auto& side) { join.add_right(rank_exec(), side); });
    });
    join.finish_right(rank_exec());
    for_each_batch(batches, left.size(), [&](std::uint64_t begin, std::uint64_t end) {
      with_batch(left, begin, end, [&](const auto& side) {
        // Left rows that stay are joined in either way.
        begin % 2 == 0 ? join.add_left(rank_exec(), side, use) : join.add_left(rank_exec(), side);
      });
    });
    join.finish_left(rank_exec(), use);
  });
}

/// Calls `use` with a side whose rows are those of this rank with some of the keys.
auto with_numbers(const Communicator& ranks) {
  return [&](const auto& keys, std::uint64_t begin, std::uint64_t end, const auto& use) {
    const auto batch = to_device(slice(keys, begin, end));
    const auto rows = to_device(rows_of_rank(ranks.rank(), begin, end));
    use(join_side<0>(batch, rows));
  };
}

void joins_batches_of_numbers(const Communicator& ranks) {
  const auto text = [](std::uint64_t key) { return JoinKey(std::to_string(key)); };
  for_each_operator(ranks, [&](const JoinInput& input, JoinKind kind, const auto& options) {
    const auto left = keys_of(input.left, ranks.rank(), ranks.size());
    const auto right = keys_of(input.right, ranks.rank(), ranks.size());
    JoinedRows mine;
    std::uint64_t rounds = 0;
    join_batches(ranks, kind, options, batches_of(ranks), left, right, with_numbers(ranks),
                 [&](const auto& joined) {
                   const auto rows = rows_of(host_column(joined.template left_column<1>()),
                                             host_column(joined.template right_column<1>()));
                   mine.insert(mine.end(), rows.begin(), rows.end());
                   ++rounds;
                 });
    if (options.movement != JoinMovement::broadcast_right) {
      EXPECT_EQ(rounds, options.rounds.value_or(4));
    }
    expect_join(ranks, mine, kind, input, text, every_pair);
  });
}

void joins_batches_of_columns(const Communicator& ranks) {
  for_each_operator(
      ranks, [&](const JoinInput& input, JoinKind kind, DistributedJoinOptions options) {
        options.nulls_equal = kind == JoinKind::full || kind == JoinKind::inner;
        const auto text = [&](std::uint64_t key) { return text_key(key, options.nulls_equal); };
        const auto left = keys_of(input.left, ranks.rank(), ranks.size());
        const auto right = keys_of(input.right, ranks.rank(), ranks.size());
        const auto with_batch = [&](const auto& keys, std::uint64_t begin, std::uint64_t end,
                                    const auto& use) {
          const TextKeys batch(slice(keys, begin, end));
          const DeviceValues<std::int32_t> numbers(batch.numbers);
          const DeviceStrings words(batch.words);
          const auto rows = to_device(rows_of_rank(ranks.rank(), begin, end));
          use(join_side<0, 1>(numbers.column(), words.column(), rows));
        };
        JoinedRows mine;
        join_batches(ranks, kind, options, batches_of(ranks), left, right, with_batch,
                     [&](const auto& joined) {
                       const auto rows = rows_of(host_column(joined.template left_column<2>()),
                                                 host_column(joined.template right_column<2>()));
                       const auto left_words = host_strings(joined.template left_column<1>());
                       const auto right_words = host_strings(joined.template right_column<1>());
                       for (std::size_t i = 0; i < rows.size(); ++i) {
                         if (rows[i].left == no_partner || rows[i].right == no_partner) continue;
                         ASSERT_EQ(left_words[i], right_words[i]);
                       }
                       mine.insert(mine.end(), rows.begin(), rows.end());
                     });
        expect_join(ranks, mine, kind, input, text, every_pair);
      });
}

void refuses_calls_out_of_order(const Communicator& ranks) {
  const auto keys = to_device(std::vector<std::uint64_t>(50, 3));
  const auto fewer = to_device(std::vector<std::uint64_t>(49, 3));
  const auto side = join_side<0>(keys);
  const auto use = [](const auto&) {};
  DistributedJoinOptions no_rounds;
  no_rounds.rounds = 0;
  EXPECT_THROW(static_cast<void>(distributed_join_operator(rank_exec(), ranks, JoinKind::inner,
                                                           side, side, no_rounds)),
               InvalidArgument);
  auto join = distributed_join_operator(rank_exec(), ranks, JoinKind::inner,
                                        join_side<0>(keys, keys), side, {});
  EXPECT_THROW(join.add_left(rank_exec(), join_side<0>(keys, keys)), InvalidArgument);
  EXPECT_THROW(join.finish_left(rank_exec(), use), InvalidArgument);
  join.add_right(rank_exec(), side);
  join.finish_right(rank_exec());
  EXPECT_THROW(join.add_right(rank_exec(), side), InvalidArgument);
  EXPECT_THROW(join.finish_right(rank_exec()), InvalidArgument);
  EXPECT_THROW(join.add_left(rank_exec(), join_side<0>(keys, fewer)), InvalidArgument);
  auto moved = std::move(join);
  EXPECT_THROW(join.finish_left(rank_exec(), use), InvalidArgument);
  moved.add_left(rank_exec(), join_side<0>(keys, keys));
  std::uint64_t rows = 0;
  moved.finish_left(rank_exec(), [&](const auto& joined) { rows += joined.size(); });
  ranks.all_reduce({&rows, 1}, Reduction::sum);
  const auto each = 50 * std::uint64_t(ranks.size());
  EXPECT_EQ(rows, each * each);
  EXPECT_THROW(moved.add_left(rank_exec(), join_side<0>(keys, keys)), InvalidArgument);
  EXPECT_THROW(moved.finish_left(rank_exec(), use), InvalidArgument);
}

/// Left rows that stay are joined before others come, unless they are only added.
void joins_left_rows_at_once(const Communicator& ranks) {
  const auto keys = to_device(std::vector<std::uint64_t>(50, 3));
  const auto side = join_side<0>(keys, keys);
  DistributedJoinOptions options;
  options.movement = JoinMovement::broadcast_right;
  auto join = distributed_join_operator(rank_exec(), ranks, JoinKind::inner, side, side, options);
  join.add_right(rank_exec(), side);
  join.finish_right(rank_exec());
  std::uint64_t rows = 0;
  const auto use = [&](const auto& joined) { rows += joined.size(); };
  const std::uint64_t of_a_batch = 50 * 50 * std::uint64_t(ranks.size());
  join.add_left(rank_exec(), side, use);
  EXPECT_EQ(rows, of_a_batch);
  join.add_left(rank_exec(), side);
  EXPECT_EQ(rows, of_a_batch);
  join.finish_left(rank_exec(), use);
  EXPECT_EQ(rows, 2 * of_a_batch);
  EXPECT_THROW(join.add_left(rank_exec(), side, use), InvalidArgument);
}

/// Options that differ, and a rank whose caller throws.
void fails_on_all_ranks(const Communicator& ranks) {
  if (ranks.size() == 1) return;
  const auto keys = to_device(std::vector<std::uint64_t>(50, 3));
  const auto side = join_side<0>(keys);
  DistributedJoinOptions options;
  options.rounds = ranks.rank() == 1 ? 2 : 3;
  auto differs =
      distributed_join_operator(rank_exec(), ranks, JoinKind::inner, side, side, options);
  EXPECT_THROW(differs.finish_right(rank_exec()), InvalidArgument);
  expect_failure(ranks, 1, "join", [&] {
    auto join = distributed_join_operator(rank_exec(), ranks, JoinKind::inner, side, side, {});
    join.add_right(rank_exec(), side);
    join.finish_right(rank_exec());
    join.add_left(rank_exec(), side);
    join.finish_left(rank_exec(), [&](const auto&) {
      if (ranks.rank() == 1) throw InvalidArgument("no more");
    });
  });
}

}  // namespace

std::uint64_t join_in_batches(const Communicator& ranks, std::uint64_t rows,
                              std::uint64_t batches) {
  const auto keys = scattered_keys(ranks.rank(), rows);
  JoinedRows mine;
  join_batches(ranks, JoinKind::inner, {}, batches, keys, keys, with_numbers(ranks),
               [&](const auto& joined) {
                 const auto found = rows_of(host_column(joined.template left_column<1>()),
                                            host_column(joined.template right_column<1>()));
                 mine.insert(mine.end(), found.begin(), found.end());
               });
  return digest_of(ranks, mine);
}

std::span<const RankCase> distributed_join_operator_cases() {
  static constexpr RankCase all[] = {
      {"joins_batches_of_numbers", joins_batches_of_numbers},
      {"joins_batches_of_columns", joins_batches_of_columns},
      {"joins_left_rows_at_once", joins_left_rows_at_once},
      {"refuses_calls_out_of_order", refuses_calls_out_of_order},
      {"fails_on_all_ranks", fails_on_all_ranks},
  };
  return all;
}

}  // namespace hashmill::test
