#include "join_fixture.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

template <class TableType>
class Join : public testing::Test {
 protected:
  using Key = typename TableType::key_type;
  using Lists = std::map<std::uint64_t, std::vector<std::uint64_t>>;

  /// Both sides of a join of numbers as keys, and the lists of right rows of each number.
  struct Sides {
    Sides(const Numbers& left_numbers, const Numbers& right_numbers)
        : left(left_numbers), right(right_numbers), left_keys(left), right_keys(right) {
      for (std::uint64_t r = 0; r < right.size(); ++r)
        lists[normal_number<Key>(right[r])].push_back(r);
    }
    template <class Condition>
    [[nodiscard]] Pairs expected(JoinKind kind, const Condition& condition) const {
      const auto matches = [&](std::uint64_t l) {
        const auto found = lists.find(normal_number<Key>(left[l]));
        return found == lists.end() ? std::vector<std::uint64_t>{} : found->second;
      };
      return expected_pairs(kind, left.size(), right.size(), matches, condition);
    }
    Numbers left, right;
    KeyColumns<Key> left_keys, right_keys;
    Lists lists;
  };

  /// Expects every join of the sides, and its size before, with a condition.
  template <class Condition>
  static void expect_joins(const Sides& sides, const Condition& condition) {
    const Exec exec;
    const TableType table(exec, sides.right_keys.source());
    const auto queries = sides.left_keys.source();
    for (const JoinKind kind : every_kind) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
      const Pairs expected = sides.expected(kind, condition);
      ASSERT_EQ(join_size(exec, kind, queries, table, condition), expected.size());
      ASSERT_TRUE(sorted_pairs(join(exec, kind, queries, table, condition)) == expected);
    }
    expect_half_joins(sides, table, queries, condition);
  }

  /// Expects mark, semi and anti join to be what the left join says.
  template <class Queries, class Condition>
  static void expect_half_joins(const Sides& sides, const TableType& table, const Queries& queries,
                                const Condition& condition) {
    const Exec exec;
    std::vector<bool> has_match(sides.left.size());
    for (const auto& [l, r] : sides.expected(JoinKind::left, condition))
      has_match[l] = r != nothing;
    const Kokkos::View<bool*, Memory> marks("hashmill::test::marks", sides.left.size());
    mark_join(exec, queries, table, marks, condition);
    const auto marked = to_host(marks);
    std::vector<std::uint64_t> with, without;
    for (std::uint64_t l = 0; l < has_match.size(); ++l) {
      ASSERT_EQ(marked[l], has_match[l]) << "query " << l;
      (has_match[l] ? with : without).push_back(l);
    }
    EXPECT_TRUE(to_wide_host(semi_join(exec, queries, table, condition)) == with);
    EXPECT_TRUE(to_wide_host(anti_join(exec, queries, table, condition)) == without);
  }

  static void expect_all(const Numbers& left, const Numbers& right) {
    const Sides sides(left, right);
    ASSERT_NO_FATAL_FAILURE(expect_joins(sides, EveryPair{}));
    ASSERT_NO_FATAL_FAILURE(expect_joins(sides, SumIsEven{}));
  }
};

using Tables =
    SampledTypes<HashGraph<std::uint32_t, Memory>,
                 HashGraph<std::uint64_t, Memory, FingerprintRow<std::uint64_t>, FourBitHash>,
                 Chaining<std::uint32_t, Memory>,
                 LinearProbing<std::uint32_t, Memory, RepeatedKeys>, TagBucket<Key128, Memory>,
                 ArrayTable<std::uint32_t, Memory>>;
TYPED_TEST_SUITE(Join, Tables);

TYPED_TEST(Join, PairsRowsOfEqualKeys) {
  TestFixture::expect_all(repeated_numbers(700, 300, 1), repeated_numbers(500, 250, 2));
}

TYPED_TEST(Join, TakesKeysThatAreThereOnce) {
  TestFixture::expect_all(sequential_numbers(600, 100), sequential_numbers(500));
}

TYPED_TEST(Join, TakesManyMatchesOfFewKeys) {
  TestFixture::expect_all(repeated_numbers(60, 5, 3), repeated_numbers(900, 4, 4));
  TestFixture::expect_all(equal_numbers(30, 7), equal_numbers(400, 7));
}

TYPED_TEST(Join, TakesAnEmptySide) {
  TestFixture::expect_all({}, {1, 2, 3});
  TestFixture::expect_all({1, 2, 3}, {});
  TestFixture::expect_all({}, {});
}

TYPED_TEST(Join, TakesSidesThatShareNothing) {
  TestFixture::expect_all(sequential_numbers(257), sequential_numbers(300, 1000));
}

TYPED_TEST(Join, RefusesResultsBeyondTheBudgetAndNamesTheSizes) {
  using Row = typename TypeParam::row_type;
  const KeyColumns<typename TypeParam::key_type> keys(equal_numbers(40, 3));
  const TypeParam table(Exec(), keys.source());
  const std::uint64_t bytes = std::uint64_t{40} * 40 * 2 * sizeof(Row);
  EXPECT_EQ(join(Exec(), JoinKind::inner, keys.source(), table, EveryPair{}, {bytes}).size(),
            1600U);
  try {
    (void)join(Exec(), JoinKind::inner, keys.source(), table, EveryPair{}, {bytes - 1});
    FAIL() << "a result above the budget";
  } catch (const CapacityError& error) {
    EXPECT_EQ(error.needed(), bytes);
    EXPECT_EQ(error.available(), bytes - 1);
    EXPECT_NE(std::string(error.what()).find("1600"), std::string::npos);
  }
  EXPECT_THROW((void)semi_join(Exec(), keys.source(), table, EveryPair{}, {1}), CapacityError);
}

TYPED_TEST(Join, GivesThePairsInChunksThatFitTheBudget) {
  using Row = typename TypeParam::row_type;
  const typename TestFixture::Sides sides(repeated_numbers(300, 60, 8),
                                          repeated_numbers(200, 70, 9));
  const Exec exec;
  const TypeParam table(exec, sides.right_keys.source());
  const auto queries = sides.left_keys.source();
  for (const JoinKind kind : every_kind) {
    const Pairs expected = sides.expected(kind, SumIsEven{});
    for (const std::uint64_t most : {std::uint64_t{40}, std::uint64_t{1000}, expected.size()}) {
      Pairs pairs;
      join_in_chunks(exec, kind, queries, table, SumIsEven{}, {most * 2 * sizeof(Row)},
                     [&](const auto& chunk) {
                       EXPECT_GT(chunk.size(), 0U);
                       EXPECT_LE(chunk.size(), most);
                       const Pairs more = sorted_pairs(chunk);
                       pairs.insert(pairs.end(), more.begin(), more.end());
                     });
      std::sort(pairs.begin(), pairs.end());
      ASSERT_TRUE(pairs == expected) << most;
    }
  }
  Pairs pairs;
  join_in_chunks(exec, JoinKind::left, queries, table, EveryPair{}, {100 * 2 * sizeof(Row)},
                 [&](const auto& chunk) {
                   const Pairs more = sorted_pairs(chunk);
                   if (!pairs.empty()) {
                     EXPECT_LT(pairs.back().first, more.front().first);
                   }
                   pairs.insert(pairs.end(), more.begin(), more.end());
                 });
  ASSERT_TRUE(pairs == sides.expected(JoinKind::left, EveryPair{}));
}

TYPED_TEST(Join, RefusesChunksThatOneQueryExceeds) {
  using Row = typename TypeParam::row_type;
  const KeyColumns<typename TypeParam::key_type> keys(equal_numbers(40, 3));
  const TypeParam table(Exec(), keys.source());
  int chunks = 0;
  const auto count = [&](const auto&) { ++chunks; };
  EXPECT_THROW(join_in_chunks(Exec(), JoinKind::inner, keys.source(), table, EveryPair{},
                              {39 * 2 * sizeof(Row)}, count),
               CapacityError);
  const KeyColumns<typename TypeParam::key_type> none(Numbers{});
  EXPECT_THROW(join_in_chunks(Exec(), JoinKind::right, none.source(), table, EveryPair{},
                              {2 * sizeof(Row) - 1}, count),
               CapacityError);
  EXPECT_EQ(chunks, 0);
  join_in_chunks(Exec(), JoinKind::inner, keys.source(), table, EveryPair{}, {40 * 2 * sizeof(Row)},
                 count);
  EXPECT_EQ(chunks, 40);
}

/// A table of few distinct keys, and results that span many tiles.
TEST(JoinLarge, SpreadsTheRowsOfFewQueriesOverTiles) {
  const Numbers left = repeated_numbers(3000, 40, 5), right = repeated_numbers(20'000, 50, 6);
  const KeyColumns<std::uint32_t> left_keys(left), right_keys(right);
  const HashGraph<std::uint32_t, Memory> table(Exec(), right_keys.source());
  const auto pairs = join(Exec(), JoinKind::inner, left_keys.source(), table);
  std::vector<std::uint64_t> copies(50);
  for (const std::uint64_t number : right) ++copies[number];
  std::uint64_t expected = 0;
  for (const std::uint64_t number : left) expected += copies[number];
  const auto lefts = to_host(pairs.left), rights = to_host(pairs.right);
  ASSERT_EQ(lefts.size(), expected);
  EXPECT_TRUE(std::is_sorted(lefts.begin(), lefts.end()));
  std::vector<std::uint64_t> of_query(left.size());
  for (std::size_t i = 0; i < lefts.size(); ++i) {
    ASSERT_EQ(left[lefts[i]], right[rights[i]]);
    ++of_query[lefts[i]];
  }
  for (std::size_t q = 0; q < left.size(); ++q) ASSERT_EQ(of_query[q], copies[left[q]]);
}

TEST(Gather, GivesTheValuesOfRowsAndAnotherWhereThereIsNone) {
  const auto values = to_device(std::vector<double>{0.5, 1.5, 2.5});
  const auto rows = to_device(std::vector<std::uint32_t>{2, no_row<std::uint32_t>, 0, 2});
  const Kokkos::View<double*, Memory> out("hashmill::test::out", 4);
  gather(Exec(), values, rows, out, -1.0);
  EXPECT_EQ(to_host(out), (std::vector<double>{2.5, -1.0, 0.5, 2.5}));
  const Kokkos::View<double*, Memory> small("hashmill::test::small", 3);
  EXPECT_THROW(gather(Exec(), values, rows, small), InvalidArgument);
}

TEST(JoinOfATable, KnowsRowsThatWereInsertedWithoutWaiting) {
  const Exec exec;
  const KeyColumns<std::uint32_t> keys(sequential_numbers(300)), queries(sequential_numbers(40));
  TagBucket<std::uint32_t, Memory> table(exec, keys.source(), {.initial_rows = 0});
  Workspace<Memory> workspace;
  const Kokkos::View<InsertResult, Memory> inserted("hashmill::test::inserted");
  table.insert_async(exec, 0, 300, inserted, workspace);
  EXPECT_EQ(join_size(exec, JoinKind::right, queries.source(), table), 300U);
  EXPECT_EQ(join(exec, JoinKind::full, queries.source(), table).size(), 300U);
}

}  // namespace
}  // namespace hashmill::test
