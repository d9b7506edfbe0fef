#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/hashes.hpp"
#include "algorithms/support/kokkos_recorder.hpp"
#include "each_strategy.hpp"
#include "join_fixture.hpp"
#include "row_rules.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

template <class Types>
class HashJoins : public testing::Test {
 protected:
  using Key = typename Types::Key;
  using Hash = typename Types::Hash;

  static Pairs expected(JoinKind kind, const Numbers& left, const Numbers& right) {
    return expected_pairs<Key>(kind, left, right, EveryPair{});
  }

  template <class Options>
  static Pairs actual(JoinKind kind, const Numbers& left, const Numbers& right,
                      const Options& options) {
    const KeyColumns<Key> left_keys(left), right_keys(right);
    Workspace<Memory> workspace;
    const auto pairs = hash_join(Exec(), kind, left_keys.source(), right_keys.source(), EveryPair{},
                                 options, workspace, Hash{});
    EXPECT_EQ(hash_join_size(Exec(), kind, left_keys.source(), right_keys.source(), EveryPair{},
                             options, workspace, Hash{}),
              pairs.size());
    return sorted_pairs(pairs);
  }

  /// Expects the strategies that take any keys to give what std containers do.
  static void expect_all(const Numbers& left, const Numbers& right) {
    for (const JoinKind kind : every_kind) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
      const Pairs pairs = expected(kind, left, right);
      for_each_strategy<JoinStrategy::automatic, JoinStrategy::look_up, JoinStrategy::partitioned,
                        JoinStrategy::tag_bucket>({}, [&](const auto& options) {
        SCOPED_TRACE(strategy_name(options));
        EXPECT_TRUE(actual(kind, left, right, options) == pairs);
      });
      ASSERT_FALSE(testing::Test::HasFailure());
    }
    const HashJoinOptions<JoinStrategy::intersect> intersect;
    ASSERT_TRUE(actual(JoinKind::inner, left, right, intersect) ==
                expected(JoinKind::inner, left, right));
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
    for (const JoinKind kind : sampled(std::vector(std::begin(every_kind), std::end(every_kind)))) {
      const HashJoinOptions<JoinStrategy::partitioned> options;
      ASSERT_TRUE(actual(kind, left, right, options) == expected(kind, left, right));
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
    const auto run = [&](JoinKind kind, const auto& options) {
      return sorted_pairs(hash_join(Exec(), kind, rules.apply(left_columns.keys()),
                                    rules.apply(right_columns.keys()), EveryPair{}, options));
    };
    const auto matches = rules.matches(left, right);
    for (const JoinKind kind : every_kind) {
      const Pairs expected = expected_pairs(kind, left.size(), right.size(), matches, EveryPair{});
      for_each_strategy<JoinStrategy::partitioned, JoinStrategy::automatic,
                        JoinStrategy::tag_bucket>(
          {}, [&](const auto& options) { EXPECT_TRUE(run(kind, options) == expected); });
    }
    EXPECT_EQ(run(JoinKind::inner, HashJoinOptions<JoinStrategy::intersect>{}),
              run(JoinKind::inner, HashJoinOptions<JoinStrategy::partitioned>{}));
  }
}

TEST(HashJoinStrategies, UniqueKeysAndArraysGiveTheSamePairs) {
  const auto right = to_device(std::vector<std::int32_t>{-5, 7, 1'000'000, 3});
  const auto left = to_device(std::vector<std::int32_t>{3, 3, -6, 1'000'000, 7});
  for_each_strategy<JoinStrategy::unique_keys, JoinStrategy::array, JoinStrategy::automatic>(
      {}, [&](const auto& options) {
        EXPECT_EQ(
            sorted_pairs(hash_join(Exec(), JoinKind::left, left, right, EveryPair{}, options)),
            (Pairs{{0, 3}, {1, 3}, {2, nothing}, {3, 2}, {4, 1}}));
      });
}

/// A result that is large enough keeps its memory; one that is not gets more.
TEST(HashJoinStrategies, WriteIntoTheMemoryOfAResult) {
  const auto few = to_device(std::vector<std::uint32_t>{5, 6});
  const auto many = to_device(std::vector<std::uint32_t>{5, 6, 5, 7});
  Workspace<Memory> workspace;
  RowPairs<std::uint32_t, std::uint32_t, Memory> result;
  const auto expect_reuse = [&](const auto& options) {
    const auto run = [&](const auto& left, const auto& right) {
      hash_join(Exec(), JoinKind::inner, left, right, EveryPair{}, options, result, workspace);
      return sorted_pairs(result);
    };
    EXPECT_EQ(run(few, few), (Pairs{{0, 0}, {1, 1}}));
    EXPECT_EQ(run(many, few), (Pairs{{0, 0}, {1, 1}, {2, 0}}));
    const void* const memory = result.left.data();
    EXPECT_EQ(run(few, few), (Pairs{{0, 0}, {1, 1}}));
    EXPECT_EQ(result.left.data(), memory);
  };
  for_each_strategy<JoinStrategy::look_up, JoinStrategy::partitioned>({}, expect_reuse);
}

TEST(HashJoinStrategies, RefuseWhatDoesNotSuitThem) {
  const auto repeated = to_device(std::vector<std::uint32_t>{1, 2, 1});
  const auto wide = to_device(std::vector<std::uint32_t>{1, 1U << 30});
  const auto try_it = [](const auto& keys, JoinKind kind, const auto& options) {
    (void)hash_join(Exec(), kind, keys, keys, EveryPair{}, options);
  };
  const HashJoinOptions<JoinStrategy::unique_keys> unique;
  const HashJoinOptions<JoinStrategy::intersect> intersect;
  const HashJoinOptions<JoinStrategy::array> array;
  EXPECT_THROW(try_it(repeated, JoinKind::inner, unique), InvalidArgument);
  EXPECT_THROW(try_it(repeated, JoinKind::left, intersect), InvalidArgument);
  EXPECT_THROW(try_it(wide, JoinKind::inner, array), InvalidArgument);
  EXPECT_THROW((void)hash_join(Exec(), JoinKind::inner, wide, wide, SumIsEven{}, intersect),
               InvalidArgument);
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
  const auto joined = join_values(Exec(), left.source(), to_device(left_values), right.source(),
                                  to_device(right_values), {}, workspace);
  const auto lefts = to_host(joined.left);
  const auto rights = to_host(joined.right);
  Pairs pairs;
  for (std::size_t i = 0; i < lefts.size(); ++i) {
    ASSERT_EQ(rights[i].high, ~rights[i].low);
    pairs.emplace_back(static_cast<std::uint64_t>(lefts[i] * 2), rights[i].low);
  }
  std::sort(pairs.begin(), pairs.end());
  EXPECT_TRUE(pairs ==
              sorted_pairs(hash_join(Exec(), JoinKind::inner, left.source(), right.source())));
}

TEST(JoinValues, RefusesKeysAndValuesOfDifferentLengths) {
  const auto keys = to_device(std::vector<std::uint32_t>{1, 2, 1});
  const auto values = to_device(std::vector<float>{1, 2});
  Workspace<Memory> workspace;
  EXPECT_THROW((void)join_values(Exec(), keys, keys, keys, values, {}, workspace), InvalidArgument);
}

TEST(HashJoinStrategies, PartitionedTakesAConditionAndABudget) {
  const KeyColumns<std::uint32_t> left(repeated_numbers(400, 40, 11)),
      right(repeated_numbers(300, 40, 12));
  const auto run = [&](JoinKind kind, const auto& options) {
    return sorted_pairs(
        hash_join(Exec(), kind, left.source(), right.source(), SumIsEven{}, options));
  };
  HashJoinOptions<JoinStrategy::partitioned> options;
  for (const JoinKind kind : every_kind) {
    EXPECT_TRUE(run(kind, options) == run(kind, HashJoinOptions<JoinStrategy::look_up>{}));
  }
  options.memory_budget = 100;
  EXPECT_THROW((void)run(JoinKind::inner, options), CapacityError);
}

TEST(HashJoinStrategies, EveryOneWritesIntoTheMemoryOfAResult) {
  const KeyColumns<std::uint32_t> keys(sequential_numbers(3000)), fewer(sequential_numbers(2000));
  Workspace<Memory> workspace;
  const auto expect_reuse = [&](const auto& options) {
    RowPairs<std::uint32_t, std::uint32_t, Memory> result;
    hash_join(Exec(), JoinKind::inner, keys.source(), keys.source(), EveryPair{}, options, result,
              workspace);
    EXPECT_EQ(result.size(), 3000U);
    const auto* const memory = result.left.data();
    hash_join(Exec(), JoinKind::inner, keys.source(), fewer.source(), EveryPair{}, options, result,
              workspace);
    EXPECT_EQ(result.size(), 2000U);
    EXPECT_EQ(result.left.data(), memory);
  };
  for_each_strategy<JoinStrategy::look_up, JoinStrategy::intersect, JoinStrategy::partitioned,
                    JoinStrategy::unique_keys, JoinStrategy::tag_bucket>({}, expect_reuse);
}

TEST(HashJoinStrategies, PartitionedShortOfMemorySaysSo) {
  const KeyColumns<std::uint32_t> keys(sequential_numbers(5000));
  const HashJoinOptions<JoinStrategy::partitioned> options;
  const std::uint64_t failed = count_failures([&] {
    const auto pairs =
        hash_join(Exec(), JoinKind::inner, keys.source(), keys.source(), EveryPair{}, options);
    EXPECT_EQ(pairs.size(), 5000U);
  });
  EXPECT_GE(failed, 3U);  // all temporary memory at once, and two columns
}

}  // namespace
}  // namespace hashmill::test
