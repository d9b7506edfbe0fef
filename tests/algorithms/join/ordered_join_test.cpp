#include <numeric>

#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/hashes.hpp"
#include "each_strategy.hpp"
#include "join_fixture.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

/// Two sides of numbers, and what their joins give in order.
struct Sides {
  Sides(Numbers left_numbers, Numbers right_numbers)
      : left(std::move(left_numbers)), right(std::move(right_numbers)) {}
  template <class Key, class Condition>
  [[nodiscard]] Pairs expected(JoinKind kind) const {
    return expected_pairs<Key>(kind, left, right, Condition{});
  }
  Numbers left, right;
};

std::vector<Sides> every_sides() {
  return {{repeated_numbers(700, 300, 1), repeated_numbers(500, 250, 2)},
          {sequential_numbers(600, 100), sequential_numbers(500)},
          {repeated_numbers(60, 5, 3), repeated_numbers(900, 4, 4)},
          {zipf_numbers(400, 5), zipf_numbers(300, 6)},
          {equal_numbers(5, 7), equal_numbers(3000, 7)},
          {equal_numbers(3000, 12'345), equal_numbers(2, 12'345)},
          {{3}, {3}},
          {{1, 2, 3}, {}},
          {{}, {1, 2, 3}},
          {{}, {}}};
}

template <class TableType>
class OrderedJoin : public testing::Test {
 protected:
  using Key = typename TableType::key_type;
  using Row = typename TableType::row_type;

  template <class Condition>
  static void expect_in_order(const Sides& sides) {
    const Exec exec;
    const KeyColumns<Key> left(sides.left), right(sides.right);
    const TableType table(exec, right.source());
    JoinOptions options;
    options.ordered = true;
    for (const JoinKind kind : every_kind) {
      const Pairs expected = sides.expected<Key, Condition>(kind);
      for (int run = 0; run < 2; ++run) {
        ASSERT_TRUE(pairs_of(join(exec, kind, left.source(), table, Condition{}, options)) ==
                    expected);
      }
      Pairs pairs;
      JoinOptions chunked = options;
      chunked.memory_budget = 3100 * 2 * sizeof(Row);
      join_in_chunks(exec, kind, left.source(), table, Condition{}, chunked, [&](const auto& some) {
        const Pairs more = pairs_of(some);
        pairs.insert(pairs.end(), more.begin(), more.end());
      });
      ASSERT_TRUE(pairs == expected);
    }
  }
};

using Tables =
    SampledTypes<HashGraph<std::uint32_t, Memory>,
                 HashGraph<std::uint64_t, Memory, FingerprintRow<std::uint64_t>, FourBitHash>,
                 HashGraph<std::uint32_t, Memory, PackedRow, ConstantHash>,
                 Chaining<std::uint32_t, Memory>,
                 LinearProbing<std::uint32_t, Memory, RepeatedKeys>, TagBucket<Key128, Memory>,
                 ArrayTable<std::uint32_t, Memory>>;
TYPED_TEST_SUITE(OrderedJoin, Tables);

TYPED_TEST(OrderedJoin, GivesPairsByLeftAndThenRightRow) {
  for (const Sides& sides : every_sides()) {
    ASSERT_NO_FATAL_FAILURE(this->template expect_in_order<EveryPair>(sides));
    ASSERT_NO_FATAL_FAILURE(this->template expect_in_order<SumIsEven>(sides));
  }
}

class OrderedHashJoin : public testing::Test {
 protected:
  using Key = std::uint64_t;

  template <class Options>
  static Pairs run(JoinKind kind, const Sides& sides, const Options& options) {
    const KeyColumns<Key> left(sides.left), right(sides.right);
    Workspace<Memory> workspace;
    return pairs_of(hash_join(Exec(), kind, left.source(), right.source(), EveryPair{}, options,
                              workspace, FourBitHash{}));
  }
};

TEST_F(OrderedHashJoin, IsTheSameByEveryStrategy) {
  for (const Sides& sides : every_sides()) {
    for (const JoinKind kind : every_kind) {
      const Pairs expected = sides.expected<Key, EveryPair>(kind);
      for (const Prefilter prefilter : {Prefilter::never, Prefilter::always}) {
        HashJoinOptions ordered;
        ordered.prefilter = prefilter;
        ordered.ordered = true;
        for_each_strategy<JoinStrategy::automatic, JoinStrategy::look_up,
                          JoinStrategy::partitioned>(ordered, [&](const auto& options) {
          EXPECT_TRUE(run(kind, sides, options) == expected);
        });
        if (kind == JoinKind::inner) {
          EXPECT_TRUE(run(kind, sides, with_strategy<JoinStrategy::intersect>(ordered)) ==
                      expected);
        }
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

/// Rows that no single pass of sorting takes, in many parts.
TEST(OrderedLargeJoin, OfManyPartsIsInOrder) {
  const Sides sides(random_numbers(150'000, 5), repeated_numbers(200'000, 100'000, 6));
  Sides shared = sides;
  for (std::uint64_t l = 0; l < shared.left.size(); ++l) shared.left[l] %= 200'000;
  const KeyColumns<std::uint32_t> left(shared.left), right(shared.right);
  HashJoinOptions<JoinStrategy::partitioned> options;
  options.ordered = true;
  for (const JoinKind kind : {JoinKind::inner, JoinKind::full}) {
    const Pairs expected = shared.expected<std::uint32_t, EveryPair>(kind);
    EXPECT_TRUE(pairs_of(hash_join(Exec(), kind, left.source(), right.source(), EveryPair{},
                                   options)) == expected);
    EXPECT_TRUE(pairs_of(hash_join<std::uint64_t>(Exec(), kind, left.source(), right.source(),
                                                  EveryPair{}, options)) == expected);
  }
}

/// A left row with more pairs than one thread sorts, in no order.
TEST(OrderPairs, TakeRunsThatAreTooLongForAThread) {
  constexpr std::uint32_t size = 150'000;
  for (const bool in_left_order : {true, false}) {
    std::vector<std::uint32_t> left(size, 3), right(size);
    std::iota(right.rbegin(), right.rend(), 0);
    left[0] = 2;
    left[size - 1] = 4;
    if (!in_left_order) std::swap(left[0], left[size - 1]);
    const auto lefts = to_device(left), rights = to_device(right);
    Workspace<Memory> workspace;
    detail::order_pairs(Exec(), lefts.data(), rights.data(), size, in_left_order, workspace);
    Pairs expected;
    for (std::uint32_t i = 0; i < size; ++i) expected.emplace_back(left[i], right[i]);
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(pairs_of(RowPairs<std::uint32_t, std::uint32_t, Memory>{lefts, rights}) ==
                expected);
  }
}

/// Sorts rows of sizes around the change of method, by the method of devices.
TEST(OrderPairs, SortFewRows) {
  for (std::uint64_t size = 0; size < 200; ++size) {
    for (const auto& shape : every_shape(size, size)) {
      Numbers rows = shape.numbers, expected = rows;
      std::sort(expected.begin(), expected.end());
      detail::sort_few(rows.data(), size);
      ASSERT_EQ(rows, expected) << shape.name << ", " << size;
    }
  }
}

TEST(OrderPairs, ShortOfMemorySaysSo) {
  const KeyColumns<std::uint32_t> keys(sequential_numbers(5000));
  HashJoinOptions<JoinStrategy::partitioned> options;
  options.ordered = true;
  const std::uint64_t failed = count_failures([&] {
    const auto pairs =
        hash_join(Exec(), JoinKind::inner, keys.source(), keys.source(), EveryPair{}, options);
    EXPECT_EQ(pairs.size(), 5000U);
  });
  EXPECT_GE(failed, 3U);  // the workspace, and both columns of the result
}

TEST(OrderedJoinValues, AreRefused) {
  const auto keys = to_device(std::vector<std::uint32_t>{1, 2, 1});
  Workspace<Memory> workspace;
  JoinOptions options;
  options.ordered = true;
  EXPECT_THROW((void)join_values(Exec(), keys, keys, keys, keys, options, workspace),
               InvalidArgument);
}

}  // namespace
}  // namespace hashmill::test
