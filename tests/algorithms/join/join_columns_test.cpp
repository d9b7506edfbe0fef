#include "algorithms/support/row_tables.hpp"
#include "join_fixture.hpp"
#include "row_rules.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

template <class Maker>
class JoinColumns : public testing::Test {
 protected:
  template <class Condition>
  static void expect_joins(const std::vector<Row>& left, const std::vector<Row>& right,
                           const Rules& rules, const Condition& condition) {
    const RowColumns<std::int16_t> left_columns(left);
    const RowColumns<std::int64_t> right_columns(right);
    const auto table = Maker::make(rules.apply(right_columns.keys()));
    const auto queries = rules.apply(left_columns.keys());
    const auto matches = rules.matches(left, right);
    for (const JoinKind kind : every_kind) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
      const Pairs expected = expected_pairs(kind, left.size(), right.size(), matches, condition);
      ASSERT_EQ(join_size(Exec(), kind, queries, table, condition), expected.size());
      ASSERT_TRUE(sorted_pairs(join(Exec(), kind, queries, table, condition)) == expected);
    }
    std::vector<std::uint64_t> without;
    for (const auto& [l, r] :
         expected_pairs(JoinKind::left, left.size(), right.size(), matches, condition)) {
      if (r == nothing) without.push_back(l);
    }
    EXPECT_TRUE(to_wide_host(anti_join(Exec(), queries, table, condition)) == without);
  }
};

using Makers = SampledTypes<FingerprintTable, PackedTable, TagTable>;
TYPED_TEST_SUITE(JoinColumns, Makers);

TYPED_TEST(JoinColumns, PairsRowsThatMatchInEveryColumn) {
  const auto left = random_rows(300, 11), right = random_rows(257, 12);
  for (const bool nulls_equal : {false, true}) {
    for (const bool nans_unequal : {false, true}) {
      SCOPED_TRACE("nulls equal " + std::to_string(nulls_equal) + ", NaNs unequal " +
                   std::to_string(nans_unequal));
      const Rules rules{nulls_equal, nans_unequal};
      ASSERT_NO_FATAL_FAILURE(TestFixture::expect_joins(left, right, rules, EveryPair{}));
    }
  }
}

TYPED_TEST(JoinColumns, PairsRowsForWhichAConditionHolds) {
  const auto left = random_rows(120, 13), right = random_rows(130, 14);
  TestFixture::expect_joins(left, right, {.nulls_equal = true}, SumIsEven{});
}

TYPED_TEST(JoinColumns, TakesKeysThatAreAllNull) {
  const std::vector<Row> left(70), right(90);
  TestFixture::expect_joins(left, right, {}, EveryPair{});
  TestFixture::expect_joins(left, right, {.nulls_equal = true}, EveryPair{});
}

}  // namespace
}  // namespace hashmill::test
