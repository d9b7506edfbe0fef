#include <gtest/gtest.h>

#include <hashmill/shuffle.hpp>
#include <iterator>
#include <mutex>
#include <span>
#include <utility>

#include "algorithms/hybrid_hash_join/hybrid_join_results.hpp"
#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/inputs.hpp"
#include "algorithms/support/kokkos_recorder.hpp"
#include "thread_ranks.hpp"

namespace hashmill::test {
namespace {

/// Of which the others are parts.
constexpr HybridJoinKind some_kinds[] = {HybridJoinKind::full, HybridJoinKind::anti};

struct Sides {
  const char* name;
  JoinKeys<std::uint64_t> left, right;
};

/// Some kinds, at budgets from far below the data to far above.
void expect_joins(const Sides& sides, std::span<const HybridJoinKind> kinds,
                  const std::vector<std::uint64_t>& percents) {
  for (const HybridJoinKind kind : kinds) {
    const JoinedRows expected = expected_rows(kind, sides.left, sides.right);
    for (const std::uint64_t percent : percents) {
      SCOPED_TRACE(std::string(sides.name) + " kind " + std::to_string(static_cast<int>(kind)) +
                   " at " + std::to_string(percent) + " %");
      const std::uint64_t bytes =
          std::max<std::uint64_t>(bytes_of(sides.left, sides.right) * percent / 100, 40 << 10);
      HybridHashJoinOptions options = within(bytes);
      options.rounds = 8;
      const HybridResult result =
          join_within<1>(kind, options, sides.left, sides.right, 1000, with_number_keys);
      EXPECT_EQ(result.rows.size(), expected.size());
      EXPECT_TRUE(result.rows == expected);
      EXPECT_LE(result.statistics.device_peak, bytes);
    }
  }
}

TEST(HybridHashJoin, JoinsWithinAnyBudget) {
  const std::uint64_t n = sampling() ? 1 << 10 : 1 << 12;
  expect_joins({"random", join_keys(repeated_numbers(2 * n, n / 2, 1)),
                join_keys(repeated_numbers(n, n / 2, 2))},
               hybrid_kinds, {10, 100, 1000});
  for (const Sides& sides : sampled(std::vector<Sides>{
           {"sequential", join_keys(sequential_numbers(n)),
            join_keys(sequential_numbers(n, n / 2))},
           {"zipf", join_keys(zipf_numbers(n, 1)), join_keys(repeated_numbers(n / 4, n, 2))},
           {"zipf on the right", join_keys(repeated_numbers(n / 4, n, 2)),
            join_keys(zipf_numbers(n, 1))},
           {"no right", join_keys(sequential_numbers(n)), {}},
           {"no left", {}, join_keys(sequential_numbers(n))},
           {"none", {}, {}}})) {
    expect_joins(sides, some_kinds, {30});
  }
}

/// One key that no bits of a hash part, on both sides and beside others.
TEST(HybridHashJoin, JoinsOneKeyByBlocks) {
  const std::uint64_t n = sampling() ? 1 << 9 : 1 << 11;
  expect_joins({"one left row", join_keys(equal_numbers(1, 7)), join_keys(equal_numbers(n, 7))},
               some_kinds, {30, 1000});
  expect_joins({"few left rows", join_keys(sequential_numbers(20)), join_keys(equal_numbers(n, 7))},
               some_kinds, {30, 1000});
  expect_joins({"few right rows", join_keys(equal_numbers(n, 7)), join_keys(equal_numbers(20, 7))},
               some_kinds, {30, 1000});
  const auto one = join_keys(equal_numbers(n, 7));
  const HybridResult blocks =
      join_within<1>(HybridJoinKind::semi, within(40 << 10), one, one, 500, with_number_keys);
  EXPECT_EQ(blocks.rows.size(), one.size());
  EXPECT_EQ(blocks.statistics.block_joins, 1U);
  const Numbers mostly = mostly_one_number(n, 3);
  expect_joins({"mostly one", join_keys(sequential_numbers(100)), join_keys(mostly)}, hybrid_kinds,
               {30});
}

/// On hosts many right rows are parted, and left rows wait in memory until whole rounds are joined.
/// Where it is short they are joined before, or right rows are loaded, as far as they fit.
TEST(HybridHashJoin, LetsLeftRowsWait) {
  if (backends::has_wide_teams<Exec>) GTEST_SKIP() << "hosts only";
  const std::uint64_t n = 300'000;
  const auto some = [](std::vector<std::uint64_t> percents) {
    return sampled(std::move(percents));
  };
  const auto right = join_keys(repeated_numbers(n, n, 2));
  expect_joins({"as many", join_keys(repeated_numbers(n, n, 1)), right},
               sampled(std::vector(std::begin(some_kinds), std::end(some_kinds))),
               some({70, 1000}));
  const Sides more{"more", join_keys(repeated_numbers(3 * n, n, 1)), right};
  for (const HybridJoinKind kind :
       sampled(std::vector{HybridJoinKind::full, HybridJoinKind::left})) {
    expect_joins(more, std::array{kind}, some({10, 60, 150}));
  }
  expect_joins(
      {"mostly one", join_keys(sequential_numbers(3 * n)), join_keys(mostly_one_number(n, 3))},
      std::array{HybridJoinKind::left}, some({30, 150}));
}

/// Where memory is all there is, left rows do not wait in it.
TEST(HybridHashJoin, NeedsNoFileWhereRightRowsFit) {
  const std::uint64_t n = 300'000;
  const auto left = join_keys(repeated_numbers(5 * n, 2 * n, 1)),
             right = join_keys(sequential_numbers(n));
  HybridHashJoinOptions options = within(bytes_of(right, right) * 3);
  options.budget.host = options.budget.file = 0;
  const HybridResult result =
      join_within<1>(HybridJoinKind::left, options, left, right, 1 << 15, with_number_keys);
  EXPECT_TRUE(result.rows == expected_rows(HybridJoinKind::left, left, right));
  EXPECT_EQ(result.statistics.file_bytes, 0U);
}

/// With rounds that are parted again, and again.
TEST(HybridHashJoin, JoinsFarMoreThanItsBudget) {
  const std::uint64_t n = sampling() ? 1 << 15 : 1 << 16;
  const auto left = join_keys(repeated_numbers(n, n, 1)),
             right = join_keys(repeated_numbers(n, n, 2));
  HybridHashJoinOptions options = within(bytes_of(left, right) / (sampling() ? 25 : 50));
  options.rounds = 4;
  const HybridResult result =
      join_within<1>(HybridJoinKind::full, options, left, right, 1 << 12, with_number_keys);
  EXPECT_TRUE(result.rows == expected_rows(HybridJoinKind::full, left, right));
  EXPECT_GT(result.statistics.split_rounds, 4U);
}

/// What it allocates, and not only what it accounts for.
TEST(HybridHashJoin, TakesNoMoreMemoryThanItsBudget) {
  const std::uint64_t n = 1 << 15;
  const auto left = join_keys(zipf_numbers(n, 1)), right = join_keys(repeated_numbers(n / 4, n, 2));
  for (const HybridJoinKind kind : {HybridJoinKind::full, HybridJoinKind::anti}) {
    for (const std::uint64_t bytes : {std::uint64_t{256} << 10, std::uint64_t{1} << 20}) {
      const KokkosRecorder recorder;
      const HybridResult result =
          join_within<1>(kind, within(bytes), left, right, 1 << 10, with_number_keys);
      EXPECT_LE(recorder.peak_bytes(), bytes) << static_cast<int>(kind);
      EXPECT_GT(recorder.peak_bytes(), bytes / 4);
      EXPECT_EQ(result.statistics.file_bytes > 0, bytes < 1 << 20);
    }
  }
}

/// The system has no memory although the budget has.
TEST(HybridHashJoin, SurvivesFailingAllocations) {
  const auto keys = join_keys(sequential_numbers(400));
  HybridHashJoinOptions options = within(40 << 10);
  options.rounds = 2;
  const std::uint64_t failures = count_failures([&] {
    const HybridResult result =
        join_within<1>(HybridJoinKind::full, options, keys, keys, 400, with_number_keys);
    EXPECT_EQ(result.rows.size(), keys.size());
  });
  EXPECT_GT(failures, 20U);
}

/// What fits costs neither a file nor a round, and left rows are joined as they come.
TEST(HybridHashJoin, KeepsWhatFits) {
  const auto left = join_keys(sequential_numbers(1 << 12));
  const HybridResult all =
      join_within<1>(HybridJoinKind::inner, within(8 << 20), left, left, 500, with_number_keys);
  EXPECT_EQ(all.statistics.rounds, 1U);
  EXPECT_EQ(all.statistics.file_bytes, 0U);
  // A budget of twice the right side keeps some rounds, and writes fewer bytes than one of a tenth.
  const auto written = [&](std::uint64_t device) {
    const HybridResult some =
        join_within<1>(HybridJoinKind::inner, within(device), left, left, 500, with_number_keys);
    EXPECT_EQ(some.rows.size(), left.size());
    return some.statistics;
  };
  const HybridHashJoinStatistics half = written(220 << 10), tenth = written(40 << 10);
  EXPECT_GT(half.resident_rounds, 0U);
  EXPECT_LT(half.file_bytes, tenth.file_bytes);
}

/// Keys of two columns with nulls, strings among them, and both ways of nulls.
TEST(HybridHashJoin, JoinsColumns) {
  const std::uint64_t n = sampling() ? 500 : 4000;
  const Numbers left_numbers = random_numbers(n, 1), right_numbers = random_numbers(n, 2);
  for (const HybridJoinKind kind : hybrid_kinds) {
    for (const std::uint64_t device : {80 << 10, 4 << 20}) {
      HybridHashJoinOptions options = within(device);
      options.nulls_equal = kind == HybridJoinKind::full || kind == HybridJoinKind::anti;
      const auto text = [&](const Numbers& numbers) {
        JoinKeys<std::string> keys;
        for (const std::uint64_t number : numbers) {
          keys.push_back(text_key(number, options.nulls_equal));
        }
        return keys;
      };
      const auto with_batch = [&](const Numbers& numbers, std::uint64_t begin, std::uint64_t end,
                                  const auto& use) {
        Numbers some(numbers.begin() + std::ptrdiff_t(begin),
                     numbers.begin() + std::ptrdiff_t(end));
        const TextKeys batch(some);
        const DeviceValues<std::int32_t> first(batch.numbers);
        const DeviceStrings words(batch.words);
        const auto rows = to_device(sequential_numbers(end - begin, begin));
        use(join_side<0, 1>(first.column(), words.column(), rows));
      };
      const HybridResult result =
          join_within<2>(kind, options, left_numbers, right_numbers, 700, with_batch);
      EXPECT_TRUE(result.rows == expected_rows(kind, text(left_numbers), text(right_numbers)))
          << static_cast<int>(kind) << " within " << device;
    }
  }
}

/// Rows go to the ranks of their keys batch by batch, and each rank joins what it gets.
TEST(HybridHashJoin, JoinsRowsOfSeveralRanks) {
  const std::uint64_t n = 1 << 13, batch_rows = 700;
  const auto left = join_keys(repeated_numbers(n, n, 1)),
             right = join_keys(repeated_numbers(n, n, 2));
  const HybridHashJoinOptions options = within(80 << 10);
  std::mutex mutex;
  JoinedRows rows;
  std::uint64_t file_bytes = 0;
  on_thread_ranks(3, {}, [&](const Communicator& ranks) {
    Workspace<Memory> workspace;
    const auto use = [&](const auto& joined) {
      const auto some = rows_of(host_column(joined.template left_column<1>()),
                                host_column(joined.template right_column<1>()));
      const std::lock_guard lock(mutex);
      rows.insert(rows.end(), some.begin(), some.end());
    };
    // Each rank has every third batch; some have none in the last round.
    const auto for_each = [&](const JoinKeys<std::uint64_t>& keys, const auto& add) {
      const std::uint64_t stride = batch_rows * static_cast<std::uint64_t>(ranks.size());
      for (std::uint64_t first = 0; first < keys.size(); first += stride) {
        const std::uint64_t begin = first + batch_rows * static_cast<std::uint64_t>(ranks.rank());
        const auto at = [&](std::uint64_t row) {
          return std::min<std::uint64_t>(row, keys.size());
        };
        with_number_keys(keys, at(begin), at(begin + batch_rows), [&](const auto& side) {
          const auto& [key, number] = side.columns;
          const auto mine = shuffle(rank_exec(), ranks, key, workspace, key, number);
          add(join_side<0>(mine.template column<0>(), mine.template column<1>()));
        });
      }
    };
    with_number_keys(left, 0, 0, [&](const auto& types) {
      auto join = hybrid_hash_join(rank_exec(), HybridJoinKind::full, types, types, options);
      for_each(right, [&](const auto& side) { join.add_right(rank_exec(), side); });
      join.finish_right(rank_exec());
      for_each(left, [&](const auto& side) { join.add_left(rank_exec(), side, use); });
      join.finish_left(rank_exec(), use);
      const std::lock_guard lock(mutex);
      file_bytes += join.statistics().file_bytes;
    });
  });
  std::ranges::sort(rows);
  EXPECT_TRUE(rows == expected_rows(HybridJoinKind::full, left, right));
  EXPECT_GT(file_bytes, 0U);
}

TEST(HybridHashJoin, RefusesWhatItCannotDo) {
  const auto keys = to_device(Numbers(3000, 5));
  const auto side = join_side<0>(keys, keys);
  const auto use = [](const auto&) {};
  const auto make = [&](const HybridHashJoinOptions& options) {
    return hybrid_hash_join(Exec(), HybridJoinKind::inner, side, side, options);
  };
  HybridHashJoinOptions options;
  options.rounds = 0;
  EXPECT_THROW(static_cast<void>(make(options)), InvalidArgument);
  options.rounds = 5000;
  EXPECT_THROW(static_cast<void>(make(options)), InvalidArgument);
  EXPECT_THROW(static_cast<void>(make(within(1000))), CapacityError);
  auto join = make(within(1 << 20));
  EXPECT_THROW(join.add_left(Exec(), side, use), InvalidArgument);
}

TEST(HybridHashJoin, RefusesCallsOutOfOrder) {
  const auto keys = to_device(Numbers(30, 5)), fewer = to_device(Numbers(29, 5));
  const auto side = join_side<0>(keys, keys);
  std::uint64_t rows = 0;
  const auto use = [&](const auto& joined) { rows += joined.size(); };
  auto join = hybrid_hash_join(Exec(), HybridJoinKind::inner, side, side, within(1 << 20));
  EXPECT_THROW(join.finish_left(Exec(), use), InvalidArgument);
  EXPECT_THROW(join.add_right(Exec(), join_side<0>(keys, fewer)), InvalidArgument);
  join.add_right(Exec(), side);
  join.finish_right(Exec());
  EXPECT_THROW(join.add_right(Exec(), side), InvalidArgument);
  join.add_left(Exec(), side, use);
  join.finish_left(Exec(), use);
  EXPECT_EQ(rows, 900U);
  EXPECT_THROW(join.add_left(Exec(), side, use), InvalidArgument);
}

TEST(HybridHashJoin, MovingEndsTheSource) {
  const auto keys = to_device(Numbers(30, 5));
  const auto side = join_side<0>(keys, keys);
  const auto made = [&] {
    auto join = hybrid_hash_join(Exec(), HybridJoinKind::inner, side, side, within(1 << 20));
    join.add_right(Exec(), side);
    join.finish_right(Exec());
    return join;
  };
  std::uint64_t rows = 0;
  const auto use = [&](const auto& joined) { rows += joined.size(); };
  auto source = made(), target = made();
  target = std::move(source);  // which drops rows that were loaded
  EXPECT_THROW(source.add_left(Exec(), side, use), InvalidArgument);
  EXPECT_THROW(source.finish_left(Exec(), use), InvalidArgument);
  EXPECT_EQ(source.statistics().device_peak, 0U);
  target.add_left(Exec(), side, use);
  target.finish_left(Exec(), use);
  EXPECT_EQ(rows, 900U);
}

/// A file that is too small, and results that nobody wants.
TEST(HybridHashJoin, EndsWithAFault) {
  const auto keys = to_device(sequential_numbers(1 << 13));
  const auto side = join_side<0>(keys, keys);
  HybridHashJoinOptions options = within(80 << 10);
  options.budget.file = 20 << 10;
  auto small = hybrid_hash_join(Exec(), HybridJoinKind::inner, side, side, options);
  EXPECT_THROW(small.add_right(Exec(), side), CapacityError);
  EXPECT_THROW(small.finish_right(Exec()), InvalidArgument);
  auto unwanted = hybrid_hash_join(Exec(), HybridJoinKind::inner, side, side, within(80 << 10));
  unwanted.add_right(Exec(), side);
  unwanted.finish_right(Exec());
  const auto refuse = [](const auto&) { throw std::runtime_error("no more"); };
  const auto all = [&] {
    unwanted.add_left(Exec(), side, refuse);
    unwanted.finish_left(Exec(), refuse);
  };
  EXPECT_THROW(all(), std::runtime_error);
}

}  // namespace
}  // namespace hashmill::test
