#include "algorithms/support/hashes.hpp"
#include "algorithms/support/kokkos_recorder.hpp"
#include "each_strategy.hpp"
#include "join_fixture.hpp"
#include "row_rules.hpp"
#include "sampled_types.hpp"

// Inner joins that build their left side, because it is the smaller one.

namespace hashmill::test {
namespace {

/// A condition that is not the same for sides that change places.
struct LeftIsBelow {
  KOKKOS_FUNCTION bool operator()(std::uint64_t left, std::uint64_t right) const {
    return 3 * left < right;
  }
};

/// Expects all kinds of joins to give the pairs of nested loops, in order and not, and to count
/// them.
template <class Condition, class Left, class Right, class Matches>
void expect_joins(const Left& left, const Right& right, const Matches& matches) {
  Workspace<Memory> workspace;
  for (const JoinKind kind : every_kind) {
    SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
    const Pairs pairs = expected_pairs(kind, left.size(), right.size(), matches, Condition{});
    for (const Prefilter prefilter : {Prefilter::never, Prefilter::always}) {
      HashJoinOptions<> options;
      options.prefilter = prefilter;
      EXPECT_TRUE(sorted_pairs(hash_join(Exec(), kind, left, right, Condition{}, options)) ==
                  pairs);
      EXPECT_EQ(hash_join_size(Exec(), kind, left, right, Condition{}, options, workspace),
                pairs.size());
      options.ordered = true;
      EXPECT_TRUE(pairs_of(hash_join(Exec(), kind, left, right, Condition{}, options)) == pairs);
    }
  }
}

template <class Key>
auto matches_of(const Numbers& left, const Numbers& right) {
  return [&left, &right](std::uint64_t l) {
    std::vector<std::uint64_t> found;
    for (std::uint64_t r = 0; r < right.size(); ++r) {
      if (normal_number<Key>(left[l]) == normal_number<Key>(right[r])) found.push_back(r);
    }
    return found;
  };
}

template <class Key>
class HashJoinSides : public testing::Test {
 protected:
  static void expect_all(const Numbers& left, const Numbers& right) {
    const KeyColumns<Key> left_keys(left), right_keys(right);
    const auto matches = matches_of<Key>(left, right);
    expect_joins<EveryPair>(left_keys.source(), right_keys.source(), matches);
    expect_joins<LeftIsBelow>(left_keys.source(), right_keys.source(), matches);
  }
};
using Keys = SampledTypes<std::uint32_t, std::int64_t>;
TYPED_TEST_SUITE(HashJoinSides, Keys);

TYPED_TEST(HashJoinSides, OfAnySizesGiveTheSamePairs) {
  const Numbers right = repeated_numbers(800, 300, 1);
  for (const std::uint64_t size : {0, 1, 40, 199, 200, 201, 800}) {
    SCOPED_TRACE(size);
    this->expect_all(repeated_numbers(size, 350, 2), right);
    this->expect_all(random_numbers(size, 3), random_numbers(800, 3));  // far apart
  }
  this->expect_all(equal_numbers(20, 7), equal_numbers(300, 7));
  this->expect_all(zipf_numbers(60, 4), zipf_numbers(900, 5));
}

/// Columns of both sides of the same types: strings and floating-point numbers with nulls, which
/// stay in their columns, and integers, which are packed.
TEST(HashJoinSidesOfColumns, GiveTheSamePairs) {
  const auto left = random_rows(50, 21), right = random_rows(700, 22);
  const RowColumns<std::int32_t> left_columns(left), right_columns(right);
  for (const bool nulls_equal : {false, true}) {
    const Rules rules{nulls_equal, !nulls_equal};
    const auto matches = rules.matches(left, right);
    const auto left_keys = rules.apply(left_columns.keys());
    const auto right_keys = rules.apply(right_columns.keys());
    expect_joins<EveryPair>(left_keys, right_keys, matches);
    expect_joins<LeftIsBelow>(left_keys, right_keys, matches);
  }
  const Numbers few = repeated_numbers(60, 90, 4), many = repeated_numbers(900, 90, 5);
  const KeyColumns<std::uint32_t> few_keys(few), many_keys(many);
  const auto matches = matches_of<std::uint32_t>(few, many);
  expect_joins<EveryPair>(columns(few_keys.source(), few_keys.source()),
                          columns(many_keys.source(), many_keys.source()), matches);
  expect_joins<LeftIsBelow>(column(few_keys.source()), column(many_keys.source()), matches);
}

/// A result keeps its memory, and its columns stay where they are, also when the join fails.
TEST(HashJoinSidesOfAResult, StayInItsMemory) {
  const KeyColumns<std::uint32_t> few(repeated_numbers(50, 40, 8)),
      many(repeated_numbers(900, 40, 9));
  Workspace<Memory> workspace;
  RowPairs<std::uint32_t, std::uint32_t, Memory> result;
  const auto join = [&](std::uint64_t budget) {
    HashJoinOptions<> options;
    options.memory_budget = budget;
    hash_join(Exec(), JoinKind::inner, few.source(), many.source(), EveryPair{}, options, result,
              workspace);
  };
  join(1 << 20);
  const Pairs pairs = sorted_pairs(result);
  const auto *const left = result.left.data(), *const right = result.right.data();
  join(1 << 20);
  EXPECT_EQ(result.left.data(), left);
  EXPECT_EQ(result.right.data(), right);
  EXPECT_EQ(sorted_pairs(result), pairs);
  EXPECT_THROW(join(8 * pairs.size() - 1), CapacityError);
  EXPECT_EQ(result.left.data(), left);
  EXPECT_EQ(result.right.data(), right);
}

/// The rows of the table that a join of columns on a host builds.
template <class Options>
std::uint64_t rows_built(JoinKind kind, std::uint64_t left, std::uint64_t right,
                         const Options& options) {
  const auto left_rows = random_rows(left, 1), right_rows = random_rows(right, 2);
  const RowColumns<std::int32_t> left_columns(left_rows), right_columns(right_rows);
  const KokkosRecorder recorder;
  (void)hash_join(Exec(), kind, left_columns.keys(), right_columns.keys(), EveryPair{}, options);
  for (const KokkosEvent& event : recorder.events()) {
    const bool is_entries = event.label == "hashmill::hash_graph::entries";
    if (is_entries && event.kind == KokkosEvent::Kind::allocation) return event.bytes / 8;
  }
  return 0;
}

TEST(HashJoinSidesOfSizes, ChangePlacesWhereTheLeftOneIsMuchSmaller) {
  const HashJoinOptions<> automatic;
  EXPECT_EQ(rows_built(JoinKind::inner, 99, 400, automatic), 99U);
  EXPECT_EQ(rows_built(JoinKind::inner, 100, 400, automatic), 400U);
  EXPECT_EQ(rows_built(JoinKind::left, 20, 400, automatic), 400U);
  EXPECT_EQ(rows_built(JoinKind::full, 20, 400, automatic), 400U);
  HashJoinOptions<> ordered;
  ordered.ordered = true;
  EXPECT_EQ(rows_built(JoinKind::inner, 20, 400, ordered), 400U);
  const HashJoinOptions<JoinStrategy::look_up> look_up;
  EXPECT_EQ(rows_built(JoinKind::inner, 20, 400, look_up), 400U);
}

/// What a strategy asks of the right side, it asks of that side whatever the sizes.
TEST(HashJoinSidesOfSizes, OfAChosenStrategyStay) {
  const auto few = to_device(std::vector<std::uint32_t>{1, 2});
  const auto many = to_device(std::vector<std::uint32_t>(40, 1));
  const HashJoinOptions<JoinStrategy::unique_keys> unique;
  EXPECT_THROW((void)hash_join(Exec(), JoinKind::inner, few, many, EveryPair{}, unique),
               InvalidArgument);
  EXPECT_EQ(hash_join(Exec(), JoinKind::inner, many, few, EveryPair{}, unique).size(), 40U);
}

}  // namespace
}  // namespace hashmill::test
