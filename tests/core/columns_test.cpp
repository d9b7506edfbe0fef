#include <gtest/gtest.h>

#include <cmath>
#include <hashmill/columns.hpp>
#include <limits>
#include <string>
#include <vector>

namespace hashmill::test {
namespace {

using Host = Kokkos::HostSpace;

template <class Value>
auto over(const std::vector<Value>& values, Validity valid = {}) {
  return ValueColumn<Value, Host>(values.data(), values.size(), valid);
}

/// Strings as columns keep them.
struct Strings {
  explicit Strings(const std::vector<std::string>& strings) {
    for (const auto& string : strings) {
      bytes += string;
      offsets.push_back(static_cast<std::int32_t>(bytes.size()));
    }
  }
  [[nodiscard]] auto column(Validity valid = {}) const {
    return StringColumn<std::int32_t, Host>(offsets.data(), bytes.data(), offsets.size() - 1,
                                            valid);
  }
  std::vector<std::int32_t> offsets{0};
  std::string bytes;
};

/// Whether row i of one side matches row j of the other, and hashes alike when it does.
template <class Left, class Right>
bool matches(const Left& left, std::uint64_t i, const Right& right, std::uint64_t j) {
  const auto a = left(i);
  const auto b = right(j);
  const bool same = RowEqual{}(a, b);
  EXPECT_EQ(same, RowEqual{}(b, a));
  if (same) {
    EXPECT_EQ(RowHash{}(a), RowHash{}(b));
  }
  return same;
}

TEST(Columns, NumbersOfAKindMatchWhateverTheirWidth) {
  const std::vector<std::int8_t> narrow{-1, 0, 7};
  const std::vector<std::int64_t> wide{-1, 255, 7};
  const auto a = columns(over(narrow));
  const auto b = columns(over(wide));
  static_assert(std::is_same_v<decltype(a)::key_type, decltype(b)::key_type>);
  EXPECT_TRUE(matches(a, 0, b, 0));
  EXPECT_FALSE(matches(a, 0, b, 1));
  EXPECT_TRUE(matches(a, 2, b, 2));
  EXPECT_EQ(RowHash{}(a(2)), Murmur3Hash{}(std::int64_t{7}));
  EXPECT_EQ(RowHash(Seed(5))(a(2)), Murmur3Hash(Seed(5))(std::int64_t{7}));
  const std::vector<float> single{0.5F, -0.0F};
  const std::vector<double> twice{0.5, 0.0};
  EXPECT_TRUE(matches(columns(over(single)), 0, columns(over(twice)), 0));
  EXPECT_TRUE(matches(columns(over(single)), 1, columns(over(twice)), 1));
}

TEST(Columns, NullsMatchAsTheRulesSay) {
  const std::vector<std::int32_t> values{5, 0, 5, 9};
  const std::uint8_t bits[] = {0b0101};  // rows 1 and 3 are null
  const auto keys = columns(over(values, Validity(bits)), over(values));
  EXPECT_TRUE(matches(keys, 0, keys, 2));
  EXPECT_FALSE(matches(keys, 1, keys, 1));  // not even itself
  EXPECT_FALSE(matches(keys, 1, keys, 3));
  const auto equal = keys.nulls_equal();
  EXPECT_TRUE(matches(equal, 1, equal, 1));
  EXPECT_FALSE(matches(equal, 1, equal, 3));  // the other column differs
  EXPECT_TRUE(matches(keys.nulls_equal(0), 3, equal, 3));
  EXPECT_FALSE(matches(keys.nulls_equal(1), 3, equal, 3));
  const std::vector<std::int32_t> zero{0};
  EXPECT_FALSE(matches(columns(over(values, Validity(bits))).nulls_equal(), 1,
                       columns(over(zero)).nulls_equal(), 0));  // null is not 0
}

TEST(Columns, RowsThatMatchNothingSpread) {
  const std::vector<std::int32_t> values(1000);
  const std::vector<std::uint8_t> bits(125);
  const auto keys = columns(over(values, Validity(bits.data())));
  std::vector<bool> seen(64);
  for (std::uint64_t i = 0; i < keys.size(); ++i) seen[RowHash{}(keys(i)) >> 58] = true;
  for (const bool bucket : seen) EXPECT_TRUE(bucket);
}

TEST(Columns, NansMatchAsTheRulesSay) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> values{nan, -nan, 1.0};
  const std::vector<float> single{std::nanf("7"), 1.0F};
  const auto keys = columns(over(values));
  EXPECT_TRUE(matches(keys, 0, keys, 1));
  EXPECT_TRUE(matches(keys, 0, columns(over(single)), 0));
  EXPECT_FALSE(matches(keys, 0, keys, 2));
  EXPECT_FALSE(matches(keys.nans_unequal(), 0, keys.nans_unequal(), 0));
  EXPECT_FALSE(matches(keys.nans_unequal(0), 0, keys, 1));
  EXPECT_TRUE(matches(keys.nans_unequal(), 2, keys.nans_unequal(), 2));
}

TEST(Columns, StringsMatchByTheirBytes) {
  std::vector<std::string> words{"", "a", std::string("a\0", 2), "b"};
  for (std::size_t size = 6; size < 19; ++size) {
    words.push_back(std::string(size, 'x'));
    words.push_back(std::string(size - 1, 'x') + 'y');
  }
  const Strings left(words);
  words.insert(words.begin(), "shifted");
  const Strings right(words);
  const auto a = columns(left.column());
  const auto b = columns(right.column());
  for (std::uint64_t i = 0; i < a.size(); ++i) {
    for (std::uint64_t j = 0; j < b.size(); ++j) {
      EXPECT_EQ(matches(a, i, b, j), i + 1 == j) << words[i + 1] << " and " << words[j];
    }
  }
}

TEST(Columns, DictionariesMatchByTheirValues) {
  const Strings few({"no", "yes"}), others({"yes", "maybe", "no"});
  const std::vector<std::int8_t> codes{0, 1, 1};
  const std::vector<std::uint32_t> other_codes{2, 0, 1};
  const std::uint8_t bits[] = {0b011};
  const auto a = columns(dictionary_column(over(codes, Validity(bits)), few.column()));
  const auto b = columns(dictionary_column(over(other_codes), others.column()));
  const auto plain = columns(few.column());
  EXPECT_TRUE(matches(a, 0, b, 0));
  EXPECT_TRUE(matches(a, 1, b, 1));
  EXPECT_FALSE(matches(a, 1, b, 2));
  EXPECT_FALSE(matches(a, 2, b, 1));  // a null code
  EXPECT_TRUE(matches(a, 1, plain, 1));
}

TEST(Columns, OrderAndPlaceOfValuesCount) {
  const std::vector<std::uint16_t> x{1, 2, 1}, y{2, 1, 2};
  const auto keys = columns(over(x), over(y));
  const auto swapped = columns(over(y), over(x));
  EXPECT_FALSE(matches(keys, 0, keys, 1));
  EXPECT_TRUE(matches(keys, 0, keys, 2));
  EXPECT_TRUE(matches(keys, 0, swapped, 1));
  EXPECT_NE(RowHash{}(keys(0)), RowHash{}(keys(1)));
}

TEST(Columns, TakeViewsAndRefuseDifferentLengths) {
  const Kokkos::View<int*, Host> three("three", 3), four("four", 4);
  EXPECT_EQ(columns(three, column(three)).size(), 3U);
  try {
    (void)columns(three, three, four);
    FAIL() << "columns of 3 and 4 rows";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(std::string(error.what()), "columns: 3 rows in column 0 but 4 in column 2");
  }
  EXPECT_THROW((void)columns(three).nulls_equal(1), InvalidArgument);
  const Kokkos::View<std::int32_t*, Host> no_offsets("no_offsets", 0);
  const Kokkos::View<char*, Host> bytes("bytes", 0);
  EXPECT_THROW((void)string_column(no_offsets, bytes), InvalidArgument);
}

TEST(Columns, ValidityThatIsTooShortIsRefused) {
  const Kokkos::View<std::uint8_t*, Host> bits("bits", 2);
  EXPECT_NO_THROW((void)validity(bits, 16));
  EXPECT_NO_THROW((void)validity(bits, 13, 3));
  EXPECT_TRUE(validity(bits, 16).is_null(15));
  for (const auto& [rows, first] : {std::pair<std::uint64_t, std::uint64_t>{17, 0},
                                    {14, 3},
                                    {1, ~std::uint64_t{0}},
                                    {~std::uint64_t{0}, 1}}) {
    try {
      (void)validity(bits, rows, first);
      FAIL() << rows << " rows from bit " << first;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find("2 bytes are too short"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace hashmill::test
