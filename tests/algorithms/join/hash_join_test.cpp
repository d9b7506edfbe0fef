#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/hashes.hpp"
#include "algorithms/support/kokkos_recorder.hpp"
#include "join_fixture.hpp"
#include "row_rules.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

constexpr JoinStrategy multi_core_joins[] = {JoinStrategy::npo, JoinStrategy::pro,
                                             JoinStrategy::prh};

template <class Types>
class HashJoins : public testing::Test {
 protected:
  using Key = typename Types::Key;
  using Hash = typename Types::Hash;

  static Pairs expected(JoinKind kind, const Numbers& left, const Numbers& right) {
    return expected_pairs<Key>(kind, left, right, EveryPair{});
  }

  static Pairs actual(JoinKind kind, const Numbers& left, const Numbers& right,
                      JoinStrategy strategy) {
    const KeyColumns<Key> left_keys(left), right_keys(right);
    HashJoinOptions options;
    options.strategy = strategy;
    Workspace<Memory> workspace;
    const auto pairs = hash_join(Exec(), kind, right_keys.source(), left_keys.source(), EveryPair{},
                                 options, workspace, Hash{});
    EXPECT_EQ(hash_join_size(Exec(), kind, right_keys.source(), left_keys.source(), EveryPair{},
                             options, workspace, Hash{}),
              pairs.size());
    return sorted_pairs(pairs);
  }

  /// Expects the strategies that take any keys to give what std containers do.
  static void expect_all(const Numbers& left, const Numbers& right) {
    for (const JoinKind kind : every_kind) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
      const Pairs pairs = expected(kind, left, right);
      for (const JoinStrategy strategy : {JoinStrategy::automatic, JoinStrategy::look_up,
                                          JoinStrategy::partitioned, JoinStrategy::tag_bucket}) {
        SCOPED_TRACE("strategy " + std::to_string(static_cast<int>(strategy)));
        ASSERT_TRUE(actual(kind, left, right, strategy) == pairs);
      }
    }
    expect_inner_only(left, right);
  }

  /// The same of those that give inner joins only, of which some run on CPUs only.
  static void expect_inner_only(const Numbers& left, const Numbers& right) {
    const Pairs pairs = expected(JoinKind::inner, left, right);
    ASSERT_TRUE(actual(JoinKind::inner, left, right, JoinStrategy::intersect) == pairs);
    for (const JoinStrategy strategy : multi_core_joins) {
      SCOPED_TRACE("strategy " + std::to_string(static_cast<int>(strategy)));
      if (sizeof(Key) <= 8 && !backends::has_wide_teams<Exec>) {
        ASSERT_TRUE(actual(JoinKind::inner, left, right, strategy) == pairs);
      } else {
        ASSERT_THROW((void)actual(JoinKind::inner, left, right, strategy), InvalidArgument);
      }
    }
  }
};

using Types =
    SampledTypes<KeyAndHash<std::uint32_t, Murmur3Hash>, KeyAndHash<std::uint64_t, FourBitHash>,
                 KeyAndHash<Key128, ConstantHash>>;
TYPED_TEST_SUITE(HashJoins, Types);

TYPED_TEST(HashJoins, PairRowsOfEqualKeys) {
  TestFixture::expect_all(repeated_numbers(700, 300, 1), repeated_numbers(500, 250, 2));
  TestFixture::expect_all(sequential_numbers(600, 100), sequential_numbers(500));
}

TYPED_TEST(HashJoins, TakeManyMatchesOfFewKeys) {
  TestFixture::expect_all(repeated_numbers(60, 5, 3), repeated_numbers(900, 4, 4));
  TestFixture::expect_all(equal_numbers(30, 7), equal_numbers(400, ~std::uint64_t{0}));
}

TYPED_TEST(HashJoins, TakeAnEmptySide) {
  TestFixture::expect_all({}, {1, 2, 3});
  TestFixture::expect_all({1, 2, 3}, {});
  TestFixture::expect_all({}, {});
}

using PartitionedJoins = HashJoins<KeyAndHash<std::uint32_t, Murmur3Hash>>;

/// Many parts, parts that are pieces on either side, and most rows in one part.
class PartitionedJoinOf : public PartitionedJoins {
 protected:
  static void expect_partitioned(const Numbers& left, const Numbers& right) {
    for (const JoinKind kind : every_kind) {
      ASSERT_TRUE(actual(kind, left, right, JoinStrategy::partitioned) ==
                  expected(kind, left, right));
    }
  }
};

TEST_F(PartitionedJoinOf, ManyParts) {
  expect_partitioned(random_numbers(150'000, 5), random_numbers(200'000, 5));
  expect_partitioned(sequential_numbers(120'000, 50'000), repeated_numbers(130'000, 90'000, 6));
}

TEST_F(PartitionedJoinOf, KeysWithMoreRowsThanATableHolds) {
  expect_partitioned({5, 6, 42}, mostly_one_number(150'000, 7));
  expect_partitioned(mostly_one_number(150'000, 8), {42, 5, 6});
  expect_partitioned(zipf_numbers(3000, 9), zipf_numbers(3000, 10));
}

/// CPUs keep pairs where the left rows before were, which ends when there are more: here at the
/// first row, in the middle, at the last and never.
TEST_F(PartitionedJoinOf, RowsWithMoreMatchesThanRowsBefore) {
  const Numbers right{1, 1, 2, 4, 4, 4};
  const std::vector<Numbers> lefts{{1, 3, 1, 3}, {3, 1, 3, 1},    {3, 3, 3, 1, 1, 1, 1, 2},
                                   {2, 2, 3, 4}, {2, 2, 3, 4, 2}, {3, 3, 4, 2, 4, 4},
                                   {2, 2, 2},    {3, 3, 3},       {3, 3, 4}};
  for (const Numbers& left : lefts) ASSERT_NO_FATAL_FAILURE(expect_partitioned(left, right));
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Numbers left = repeated_numbers(300, 9, seed);
    std::fill_n(left.begin(), 5 * seed, 3);
    ASSERT_NO_FATAL_FAILURE(expect_partitioned(left, right));
  }
  const Numbers few = repeated_numbers(150'000, 100'000, 11);
  ASSERT_NO_FATAL_FAILURE(expect_partitioned(sequential_numbers(150'000), few));
  ASSERT_NO_FATAL_FAILURE(expect_partitioned(few, few));
}

/// Few words: CPUs partition those that are far apart, GPUs look them up in their cache.
TEST(HashJoinStrategies, AutomaticPartitionsWordsOnHosts) {
  const auto is_partitioned = [](const Numbers& numbers) {
    const KeyColumns<std::uint32_t> keys(numbers);
    const KokkosRecorder recorder;
    (void)hash_join(Exec(), JoinKind::inner, keys.source(), keys.source());
    return std::ranges::any_of(recorder.events(), [](const KokkosEvent& event) {
      return event.label == "hashmill::join::count_parts";
    });
  };
  EXPECT_EQ(is_partitioned(random_numbers(1000, 31)), !backends::has_wide_teams<Exec>);
  EXPECT_FALSE(is_partitioned(sequential_numbers(1000)));  // an array's
}

/// Rows of columns with nulls and NaNs, whose hashes travel to the parts.
TEST(HashJoinStrategies, TakeKeysInColumns) {
  const auto left = random_rows(900, 21), right = random_rows(700, 22);
  const RowColumns<std::int16_t> left_columns(left);
  const RowColumns<std::int64_t> right_columns(right);
  for (const bool nulls_equal : {false, true}) {
    const Rules rules{nulls_equal, !nulls_equal};
    const auto run = [&](JoinKind kind, JoinStrategy strategy) {
      HashJoinOptions options;
      options.strategy = strategy;
      return sorted_pairs(hash_join(Exec(), kind, rules.apply(right_columns.keys()),
                                    rules.apply(left_columns.keys()), EveryPair{}, options));
    };
    const auto matches = rules.matches(left, right);
    for (const JoinKind kind : every_kind) {
      const Pairs expected = expected_pairs(kind, left.size(), right.size(), matches, EveryPair{});
      EXPECT_TRUE(run(kind, JoinStrategy::partitioned) == expected);
      EXPECT_TRUE(run(kind, JoinStrategy::automatic) == expected);
      EXPECT_TRUE(run(kind, JoinStrategy::tag_bucket) == expected);
    }
    EXPECT_EQ(run(JoinKind::inner, JoinStrategy::intersect),
              run(JoinKind::inner, JoinStrategy::partitioned));
  }
}

TEST(HashJoinStrategies, UniqueKeysAndArraysGiveTheSamePairs) {
  const auto right = to_device(std::vector<std::int32_t>{-5, 7, 1'000'000, 3});
  const auto left = to_device(std::vector<std::int32_t>{3, 3, -6, 1'000'000, 7});
  for (const JoinStrategy strategy :
       {JoinStrategy::unique_keys, JoinStrategy::array, JoinStrategy::automatic}) {
    HashJoinOptions options;
    options.strategy = strategy;
    EXPECT_EQ(sorted_pairs(hash_join(Exec(), JoinKind::left, right, left, EveryPair{}, options)),
              (Pairs{{0, 3}, {1, 3}, {2, nothing}, {3, 2}, {4, 1}}));
  }
}

/// A result that is large enough keeps its memory; one that is not gets more.
TEST(HashJoinStrategies, WriteIntoTheMemoryOfAResult) {
  const auto few = to_device(std::vector<std::uint32_t>{5, 6});
  const auto many = to_device(std::vector<std::uint32_t>{5, 6, 5, 7});
  HashJoinOptions options;
  Workspace<Memory> workspace;
  RowPairs<std::uint32_t, std::uint32_t, Memory> result;
  const auto run = [&](const auto& right, const auto& left) {
    hash_join(Exec(), JoinKind::inner, right, left, EveryPair{}, options, result, workspace);
    return sorted_pairs(result);
  };
  for (const JoinStrategy strategy : {JoinStrategy::look_up, JoinStrategy::partitioned}) {
    options.strategy = strategy;
    EXPECT_EQ(run(few, few), (Pairs{{0, 0}, {1, 1}}));
    EXPECT_EQ(run(few, many), (Pairs{{0, 0}, {1, 1}, {2, 0}}));
    const void* const memory = result.left.data();
    EXPECT_EQ(run(few, few), (Pairs{{0, 0}, {1, 1}}));
    EXPECT_EQ(result.left.data(), memory);
  }
}

TEST(HashJoinStrategies, RefuseWhatDoesNotSuitThem) {
  const auto repeated = to_device(std::vector<std::uint32_t>{1, 2, 1});
  const auto wide = to_device(std::vector<std::uint32_t>{1, 1U << 30});
  const auto try_it = [](const auto& right, JoinKind kind, JoinStrategy strategy) {
    HashJoinOptions options;
    options.strategy = strategy;
    (void)hash_join(Exec(), kind, right, right, EveryPair{}, options);
  };
  EXPECT_THROW(try_it(repeated, JoinKind::inner, JoinStrategy::unique_keys), InvalidArgument);
  EXPECT_THROW(try_it(repeated, JoinKind::left, JoinStrategy::intersect), InvalidArgument);
  EXPECT_THROW(try_it(wide, JoinKind::inner, JoinStrategy::array), InvalidArgument);
  for (const JoinStrategy strategy : multi_core_joins) {
    EXPECT_THROW(try_it(wide, JoinKind::left, strategy), InvalidArgument);
    HashJoinOptions options;
    options.strategy = strategy;
    EXPECT_THROW((void)hash_join(Exec(), JoinKind::inner, wide, wide, SumIsEven{}, options),
                 InvalidArgument);
  }
}

/// Small keys travel as 4 bytes, rows are numbered as the caller asks, and come in order.
TEST(HashJoinStrategies, MultiCoreJoinsWidenKeysAndRows) {
  if (backends::has_wide_teams<Exec>) GTEST_SKIP() << "these joins run on CPUs only";
  const auto right = to_device(std::vector<std::int16_t>{-5, 7, 1000, 7});
  const auto left = to_device(std::vector<std::int16_t>{7, -6, -5});
  const auto run = [&](const HashJoinOptions& options) {
    return hash_join<std::uint64_t>(Exec(), JoinKind::inner, right, left, EveryPair{}, options);
  };
  for (const JoinStrategy strategy : multi_core_joins) {
    HashJoinOptions options;
    options.strategy = strategy;
    options.ordered = true;
    const auto pairs = run(options);
    static_assert(std::is_same_v<decltype(pairs.left)::value_type, std::uint64_t>);
    EXPECT_EQ(pairs_of(pairs), (Pairs{{0, 1}, {0, 3}, {2, 0}}));
    options.memory_budget = 3 * 16 - 1;
    EXPECT_THROW((void)run(options), CapacityError);
  }
}

TEST(JoinValues, GivesTheValuesOfRowsWithEqualKeys) {
  const Numbers left_numbers = repeated_numbers(4000, 900, 31),
                right_numbers = repeated_numbers(3000, 1000, 32);
  const KeyColumns<std::uint64_t> left(left_numbers), right(right_numbers);
  std::vector<float> left_values;
  std::vector<Key128> right_values;
  for (std::uint64_t i = 0; i < left_numbers.size(); ++i)
    left_values.push_back(static_cast<float>(i) / 2);
  for (std::uint64_t i = 0; i < right_numbers.size(); ++i) right_values.push_back({i, ~i});
  Workspace<Memory> workspace;
  const auto joined = join_values(Exec(), right.source(), to_device(right_values), left.source(),
                                  to_device(left_values), {}, workspace);
  const auto lefts = to_host(joined.left);
  const auto rights = to_host(joined.right);
  Pairs pairs;
  for (std::size_t i = 0; i < lefts.size(); ++i) {
    ASSERT_EQ(rights[i].high, ~rights[i].low);
    pairs.emplace_back(static_cast<std::uint64_t>(lefts[i] * 2), rights[i].low);
  }
  std::sort(pairs.begin(), pairs.end());
  EXPECT_TRUE(pairs ==
              sorted_pairs(hash_join(Exec(), JoinKind::inner, right.source(), left.source())));
}

TEST(JoinValues, RefusesKeysAndValuesOfDifferentLengths) {
  const auto keys = to_device(std::vector<std::uint32_t>{1, 2, 1});
  const auto values = to_device(std::vector<float>{1, 2});
  Workspace<Memory> workspace;
  EXPECT_THROW((void)join_values(Exec(), keys, values, keys, keys, {}, workspace), InvalidArgument);
}

TEST(HashJoinStrategies, PartitionedTakesAConditionAndABudget) {
  const KeyColumns<std::uint32_t> left(repeated_numbers(400, 40, 11)),
      right(repeated_numbers(300, 40, 12));
  HashJoinOptions options;
  options.strategy = JoinStrategy::look_up;
  const auto run = [&](JoinKind kind) {
    return sorted_pairs(
        hash_join(Exec(), kind, right.source(), left.source(), SumIsEven{}, options));
  };
  for (const JoinKind kind : every_kind) {
    options.strategy = JoinStrategy::look_up;
    const Pairs looked_up = run(kind);
    options.strategy = JoinStrategy::partitioned;
    EXPECT_TRUE(run(kind) == looked_up);
  }
  options.memory_budget = 100;
  EXPECT_THROW((void)run(JoinKind::inner), CapacityError);
}

TEST(HashJoinStrategies, EveryOneWritesIntoTheMemoryOfAResult) {
  const KeyColumns<std::uint32_t> keys(sequential_numbers(3000)), fewer(sequential_numbers(2000));
  Workspace<Memory> workspace;
  for (const JoinStrategy strategy :
       {JoinStrategy::look_up, JoinStrategy::intersect, JoinStrategy::partitioned,
        JoinStrategy::unique_keys, JoinStrategy::tag_bucket}) {
    HashJoinOptions options;
    options.strategy = strategy;
    RowPairs<std::uint32_t, std::uint32_t, Memory> result;
    hash_join(Exec(), JoinKind::inner, keys.source(), keys.source(), EveryPair{}, options, result,
              workspace);
    EXPECT_EQ(result.size(), 3000U);
    const auto* const memory = result.left.data();
    hash_join(Exec(), JoinKind::inner, fewer.source(), keys.source(), EveryPair{}, options, result,
              workspace);
    EXPECT_EQ(result.size(), 2000U);
    EXPECT_EQ(result.left.data(), memory);
  }
}

TEST(HashJoinStrategies, PartitionedShortOfMemorySaysSo) {
  const KeyColumns<std::uint32_t> keys(sequential_numbers(5000));
  HashJoinOptions options;
  options.strategy = JoinStrategy::partitioned;
  const std::uint64_t failed = count_failures([&] {
    const auto pairs =
        hash_join(Exec(), JoinKind::inner, keys.source(), keys.source(), EveryPair{}, options);
    EXPECT_EQ(pairs.size(), 5000U);
  });
  EXPECT_GT(failed, 3U);
}

}  // namespace
}  // namespace hashmill::test
