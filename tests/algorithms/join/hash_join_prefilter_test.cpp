#include "algorithms/support/hashes.hpp"
#include "algorithms/support/kokkos_recorder.hpp"
#include "each_strategy.hpp"
#include "join_fixture.hpp"
#include "row_rules.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

constexpr Prefilter every_prefilter[] = {Prefilter::never, Prefilter::always, Prefilter::automatic};

HashJoinOptions<> filtered(Prefilter prefilter) {
  HashJoinOptions options;
  options.prefilter = prefilter;
  return options;
}

template <class Types>
class PrefilteredJoins : public testing::Test {
 protected:
  using Key = typename Types::Key;
  using Hash = typename Types::Hash;

  template <class Condition, class Options>
  static Pairs run(JoinKind kind, const KeyColumns<Key>& left, const KeyColumns<Key>& right,
                   const Options& options) {
    Workspace<Memory> workspace;
    return sorted_pairs(hash_join(Exec(), kind, left.source(), right.source(), Condition{}, options,
                                  workspace, Hash{}));
  }

  template <class Condition>
  static Pairs expected(JoinKind kind, const Numbers& left, const Numbers& right) {
    return expected_pairs<Key>(kind, left, right, Condition{});
  }

  template <class Condition>
  static void expect_joins(const Numbers& left, const Numbers& right) {
    const KeyColumns<Key> left_keys(left), right_keys(right);
    for (const JoinKind kind : every_kind) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
      const Pairs pairs = expected<Condition>(kind, left, right);
      for (const Prefilter prefilter : every_prefilter) {
        for_each_strategy<JoinStrategy::look_up, JoinStrategy::partitioned>(
            filtered(prefilter), [&](const auto& options) {
              SCOPED_TRACE(strategy_name(options) + ", filter " +
                           std::to_string(static_cast<int>(prefilter)));
              EXPECT_TRUE((run<Condition>(kind, left_keys, right_keys, options) == pairs));
            });
        ASSERT_FALSE(testing::Test::HasFailure());
      }
    }
  }
  static void expect_all(const Numbers& left, const Numbers& right) {
    ASSERT_NO_FATAL_FAILURE(expect_joins<EveryPair>(left, right));
    if constexpr (std::is_same_v<Key, std::uint32_t>) {
      ASSERT_NO_FATAL_FAILURE(expect_joins<SumIsEven>(left, right));
    }
    const KeyColumns<Key> left_keys(left), right_keys(right);
    const auto options = with_strategy<JoinStrategy::intersect>(filtered(Prefilter::always));
    ASSERT_TRUE(run<EveryPair>(JoinKind::inner, left_keys, right_keys, options) ==
                expected<EveryPair>(JoinKind::inner, left, right));
  }
};

using Types =
    SampledTypes<KeyAndHash<std::uint32_t, Murmur3Hash>, KeyAndHash<std::uint64_t, FourBitHash>,
                 KeyAndHash<Key128, ConstantHash>>;
TYPED_TEST_SUITE(PrefilteredJoins, Types);

TYPED_TEST(PrefilteredJoins, GiveTheSamePairsAtAnyHitRate) {
  const Numbers right = sequential_numbers(300);
  for (const std::uint64_t range : {300, 600, 3000, 30'000}) {  // hit rates 1, 1/2, 1/10, 1/100
    this->expect_all(repeated_numbers(1200, range, range), right);
  }
  this->expect_all(sequential_numbers(900, 5000), right);
}

TYPED_TEST(PrefilteredJoins, TakeManyMatchesOfFewKeys) {
  this->expect_all(repeated_numbers(300, 40, 3), repeated_numbers(500, 4, 4));
  this->expect_all(mostly_one_number(500, 5), {42, 7, 42});
}

TYPED_TEST(PrefilteredJoins, TakeAnEmptySide) {
  this->expect_all({}, {1, 2, 3});
  this->expect_all({1, 2, 3}, {});
  this->expect_all({}, {});
}

/// Rows of columns with nulls and NaNs, whose hashes travel to the parts.
TEST(PrefilteredHashJoin, TakesKeysInColumns) {
  const auto left = random_rows(900, 21);
  auto right = random_rows(60, 22);
  const RowColumns<std::int16_t> left_columns(left);
  const RowColumns<std::int64_t> right_columns(right);
  for (const bool nulls_equal : {false, true}) {
    const Rules rules{nulls_equal, !nulls_equal};
    const auto matches = rules.matches(left, right);
    for (const JoinKind kind : every_kind) {
      const Pairs expected = expected_pairs(kind, left.size(), right.size(), matches, EveryPair{});
      for_each_strategy<JoinStrategy::look_up, JoinStrategy::partitioned>(
          filtered(Prefilter::always), [&](const auto& options) {
            EXPECT_TRUE(sorted_pairs(hash_join(Exec(), kind, rules.apply(left_columns.keys()),
                                               rules.apply(right_columns.keys()), EveryPair{},
                                               options)) == expected);
          });
    }
  }
}

TEST(PrefilteredHashJoin, SuitsTablesOfUniqueKeysAndArrays) {
  const auto right = to_device(std::vector<std::int32_t>{-5, 7, 1'000'000, 3});
  const auto left = to_device(std::vector<std::int32_t>{3, 3, -6, 1'000'000, 7});
  for_each_strategy<JoinStrategy::unique_keys, JoinStrategy::array>(
      filtered(Prefilter::always), [&](const auto& options) {
        EXPECT_EQ(
            sorted_pairs(hash_join(Exec(), JoinKind::left, left, right, EveryPair{}, options)),
            (Pairs{{0, 3}, {1, 3}, {2, nothing}, {3, 2}, {4, 1}}));
      });
}

TEST(PrefilteredHashJoin, SaysWhenTheResultIsAboveTheBudget) {
  const KeyColumns<std::uint32_t> keys(sequential_numbers(100));
  for (const Prefilter prefilter : {Prefilter::never, Prefilter::always}) {
    HashJoinOptions small = filtered(prefilter);
    small.memory_budget = 799;
    for_each_strategy<JoinStrategy::look_up, JoinStrategy::intersect, JoinStrategy::partitioned,
                      JoinStrategy::tag_bucket>(small, [&](const auto& options) {
      EXPECT_THROW((void)hash_join(Exec(), JoinKind::inner, keys.source(), keys.source(),
                                   EveryPair{}, options),
                   CapacityError);
    });
  }
}

/// Numbers with the same last digit are equal keys.
struct LastDigitEqual {
  KOKKOS_FUNCTION bool operator()(std::uint32_t a, std::uint32_t b) const {
    return a % 10 == b % 10;
  }
};
struct LastDigitHash {
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint32_t key) const {
    return Murmur3Hash()(key % 10);
  }
};

/// Keys that are equal without being equal numbers are found: no array or bitmap stands for them.
TEST(PrefilteredHashJoin, TakesAnEqualityOfTheCaller) {
  const Numbers left = repeated_numbers(300, 40, 1), right = sequential_numbers(7, 100);
  const KeyColumns<std::uint32_t> left_keys(left), right_keys(right);
  const auto matches = [&](std::uint64_t l) {
    std::vector<std::uint64_t> found;
    for (std::uint64_t r = 0; r < right.size(); ++r) {
      if (left[l] % 10 == right[r] % 10) found.push_back(r);
    }
    return found;
  };
  Workspace<Memory> workspace;
  for (const JoinKind kind : every_kind) {
    const Pairs expected = expected_pairs(kind, left.size(), right.size(), matches, EveryPair{});
    for (const Prefilter prefilter : every_prefilter) {
      for_each_strategy<JoinStrategy::automatic, JoinStrategy::look_up, JoinStrategy::partitioned>(
          filtered(prefilter), [&](const auto& options) {
            EXPECT_TRUE(sorted_pairs(hash_join(Exec(), kind, left_keys.source(),
                                               right_keys.source(), EveryPair{}, options, workspace,
                                               LastDigitHash{}, LastDigitEqual{})) == expected);
          });
    }
  }
}

/// Which of the kernels of filtering ran: those of the sample, and those of the list of rows.
struct Filtering {
  bool sampled = false, filtered = false;
  friend bool operator==(const Filtering&, const Filtering&) = default;
};

template <class Options>
Filtering filtering_of(const Numbers& left, const Numbers& right, const Options& options) {
  const KeyColumns<std::uint32_t> left_keys(left), right_keys(right);
  Filtering seen;
  const KokkosRecorder recorder;
  (void)hash_join(Exec(), JoinKind::inner, left_keys.source(), right_keys.source(), EveryPair{},
                  options);
  for (const KokkosEvent& event : recorder.events()) {
    seen.sampled |= event.label == "hashmill::hash_join::sample_hits";
    seen.filtered |= event.label == "hashmill::join_filter::list_passing";
  }
  return seen;
}

/// The rule of `Prefilter::automatic`.
TEST(PrefilteredHashJoin, FiltersByItselfWhereFewOfManyLeftRowsPass) {
  constexpr std::uint64_t many = 1 << 16;
  const Numbers right = sequential_numbers(5000), hits = repeated_numbers(many, 5000, 1),
                misses = repeated_numbers(many, 500'000, 2), few = repeated_numbers(many - 1, 9, 3);
  const HashJoinOptions<JoinStrategy::partitioned> options;
  EXPECT_EQ(filtering_of(misses, right, options), (Filtering{true, true}));
  EXPECT_EQ(filtering_of(hits, right, options), (Filtering{true, false}));
  EXPECT_EQ(filtering_of(few, right, options), (Filtering{false, false}));
  EXPECT_EQ(filtering_of(Numbers(many, 9), right, options), (Filtering{true, false}));
  EXPECT_EQ(filtering_of(misses, sequential_numbers(many / 2 + 1), options),
            (Filtering{false, false}));
  // Numbers that are too far apart for a bitmap.
  const auto apart = [](Numbers numbers) {
    for (auto& number : numbers) number *= 5003;
    return numbers;
  };
  EXPECT_EQ(filtering_of(apart(misses), apart(right), options), (Filtering{true, true}));
  const bool wide = backends::has_wide_teams<Exec>;
  EXPECT_EQ(filtering_of(apart(misses), apart(sequential_numbers(many / 4)), options),
            (Filtering{wide, wide}));
  EXPECT_EQ(filtering_of(misses, sequential_numbers(many / 4), options), (Filtering{true, true}));
  for (const Prefilter prefilter : every_prefilter) {
    const auto array = with_strategy<JoinStrategy::array>(filtered(prefilter));
    EXPECT_EQ(filtering_of(misses, right, array), (Filtering{false, false}));
  }
  const auto filters = [&](Prefilter prefilter) {
    return filtering_of(misses, right,
                        with_strategy<JoinStrategy::partitioned>(filtered(prefilter)));
  };
  EXPECT_EQ(filters(Prefilter::always), (Filtering{false, true}));
  EXPECT_EQ(filters(Prefilter::never), (Filtering{false, false}));
}

}  // namespace
}  // namespace hashmill::test
