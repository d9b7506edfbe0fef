#include <cmath>

#include "algorithms/join_fixture.hpp"
#include "algorithms/row_columns.hpp"

namespace hashmill::test {
namespace {

/// The rules of a join's columns; they hold for all three.
struct Rules {
  bool nulls_equal = false;
  bool nans_unequal = false;

  template <class Value>
  [[nodiscard]] bool match(const std::optional<Value>& a, const std::optional<Value>& b) const {
    if (!a || !b) return !a && !b && nulls_equal;
    if constexpr (std::is_same_v<Value, double>) {
      if (std::isnan(*a) && std::isnan(*b)) return !nans_unequal;
    }
    return *a == *b;
  }
  [[nodiscard]] bool match(const Row& a, const Row& b) const {
    return match(a.city, b.city) && match(a.street, b.street) && match(a.height, b.height);
  }
  template <class Keys>
  [[nodiscard]] Keys apply(const Keys& keys) const {
    const Keys nulls = nulls_equal ? keys.nulls_equal() : keys;
    return nans_unequal ? nulls.nans_unequal() : nulls;
  }
};

/// Tables of row keys that the suite runs over.
struct FingerprintTable {
  template <class Keys>
  static auto make(const Keys& keys) {
    return row_table(Exec(), keys, {.load_factor = LoadFactor(4)});
  }
};
struct PackedTable {
  template <class Keys>
  static auto make(const Keys& keys) {
    return HashGraph<typename Keys::key_type, Memory, PackedRow, ConstantHash, RowEqual, Keys>(
        Exec(), keys);
  }
};
struct TagTable {
  template <class Keys>
  static auto make(const Keys& keys) {
    return TagBucket<typename Keys::key_type, Memory, std::uint64_t, RowHash, RowEqual, Keys>(
        Exec(), keys);
  }
};

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
    const auto matches = [&](std::uint64_t l) {
      std::vector<std::uint64_t> found;
      for (std::uint64_t r = 0; r < right.size(); ++r) {
        if (rules.match(left[l], right[r])) found.push_back(r);
      }
      return found;
    };
    for (const JoinKind kind : every_kind) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
      const Pairs expected = expected_pairs(kind, left.size(), right.size(), matches, condition);
      ASSERT_EQ(join_size(Exec(), kind, table, queries, condition), expected.size());
      ASSERT_TRUE(sorted_pairs(join(Exec(), kind, table, queries, condition)) == expected);
    }
    std::vector<std::uint64_t> without;
    for (const auto& [l, r] :
         expected_pairs(JoinKind::left, left.size(), right.size(), matches, condition)) {
      if (r == nothing) without.push_back(l);
    }
    EXPECT_TRUE(to_wide_host(anti_join(Exec(), table, queries, condition)) == without);
  }
};

using Makers = testing::Types<FingerprintTable, PackedTable, TagTable>;
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
