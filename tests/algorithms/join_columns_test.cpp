#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "algorithms/join_fixture.hpp"

namespace hashmill::test {
namespace {

/// What a row holds, in std types: an integer, a string and a number, each perhaps null.
struct Row {
  std::optional<std::int64_t> city;
  std::optional<std::string> street;
  std::optional<double> height;
};

/// Rows with few different values, so that many match.
std::vector<Row> random_rows(std::uint64_t count, std::uint64_t seed) {
  const std::string streets[] = {"", "high", "low", "a long street's name"};
  const double heights[] = {0.0, -0.0, 1.5, std::numeric_limits<double>::quiet_NaN()};
  std::vector<Row> rows(count);
  const Numbers numbers = random_numbers(3 * count + 2, seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t city = numbers[3 * i + 1] % 7, street = numbers[3 * i + 2] % 5,
                        height = numbers[3 * i + 3] % 5;
    if (city < 6) rows[i].city = static_cast<std::int64_t>(city) - 3;
    if (street < 4) rows[i].street = streets[street];
    if (height < 4) rows[i].height = heights[height];
  }
  return rows;
}

/// Rows as columns on the device, the integers of a type of the caller's choice.
template <class City>
class RowColumns {
 public:
  explicit RowColumns(const std::vector<Row>& rows) {
    std::vector<City> cities;
    std::vector<std::int32_t> offsets{0};
    std::vector<char> bytes;
    std::vector<double> heights;
    std::vector<std::uint8_t> bits[3];
    for (auto& mask : bits) mask.resize((rows.size() + first_bit + 7) / 8);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      cities.push_back(static_cast<City>(rows[i].city.value_or(77)));
      for (const char c : rows[i].street.value_or("rubbish")) bytes.push_back(c);
      offsets.push_back(static_cast<std::int32_t>(bytes.size()));
      heights.push_back(rows[i].height.value_or(i));
      const bool valid[] = {rows[i].city.has_value(), rows[i].street.has_value(),
                            rows[i].height.has_value()};
      for (int c = 0; c < 3; ++c) {
        const std::size_t bit = i + first_bit;
        if (valid[c]) bits[c][bit / 8] |= static_cast<std::uint8_t>(1U << (bit % 8));
      }
    }
    cities_ = to_device(cities);
    offsets_ = to_device(offsets);
    bytes_ = to_device(bytes);
    heights_ = to_device(heights);
    for (int c = 0; c < 3; ++c) bits_[c] = to_device(bits[c]);
  }

  [[nodiscard]] auto keys() const {
    return columns(column(cities_, valid(0)), string_column(offsets_, bytes_, valid(1)),
                   column(heights_, valid(2)));
  }

 private:
  static constexpr std::uint64_t first_bit = 3;  // of the bitmaps, as in a slice of an Arrow array
  [[nodiscard]] Validity valid(int c) const {
    return validity(bits_[c], cities_.extent(0), first_bit);
  }
  Kokkos::View<City*, Memory> cities_;
  Kokkos::View<std::int32_t*, Memory> offsets_;
  Kokkos::View<char*, Memory> bytes_;
  Kokkos::View<double*, Memory> heights_;
  Kokkos::View<std::uint8_t*, Memory> bits_[3];
};

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
